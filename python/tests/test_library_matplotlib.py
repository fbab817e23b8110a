"""Drawing arrays of Weft: each plot is compared, pixel by pixel, with that of NumPy's arrays."""

import numpy
import pytest
import weft.numpy as np

matplotlib = pytest.importorskip("matplotlib", reason="Matplotlib is not installed: pip install matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402 - after the choice of its backend
from matplotlib.collections import LineCollection  # noqa: E402


@pytest.fixture(autouse=True)
def no_fallback(monkeypatch):
    monkeypatch.setenv("WEFT_FALLBACK", "error")


PLOTS = {
    "plot": lambda ax, x, y, z: ax.plot(x, y, "o--"),
    "plot of columns": lambda ax, x, y, z: ax.plot(z),
    "plot of booleans": lambda ax, x, y, z: ax.plot(x, y > 0.5),
    "plot in a colour": lambda ax, x, y, z: ax.plot(x, y, color=z[1, :3] / 20),
    "plot of names": lambda ax, x, y, z: ax.plot("a", "b", "o", data={"a": x, "b": y}),
    "loglog": lambda ax, x, y, z: ax.loglog(x + 1, y + 1),
    "imshow": lambda ax, x, y, z: ax.imshow(z),
    "imshow of colours": lambda ax, x, y, z: ax.imshow((z / 20).reshape(4, 5, 1).repeat(3, axis=2)),
    "imshow of booleans": lambda ax, x, y, z: ax.imshow(z > 3),
    "hist": lambda ax, x, y, z: ax.hist(y, bins=x[::4]),
    "hist of several": lambda ax, x, y, z: ax.hist([x, y]),
    "hist2d": lambda ax, x, y, z: ax.hist2d(x, y),
    "scatter": lambda ax, x, y, z: ax.scatter(x, y, c=x, s=y * 20),
    "contour": lambda ax, x, y, z: ax.clabel(ax.contour(z)),
    "contourf": lambda ax, x, y, z: ax.contourf(x[:5], y[:4], z, levels=z[0]),
    "errorbar": lambda ax, x, y, z: ax.errorbar(x, y, yerr=y * 0.1, xerr=x * 0.1),
    "bar": lambda ax, x, y, z: ax.bar(x, y, width=0.02, yerr=y * 0.1),
    "barh": lambda ax, x, y, z: ax.barh(x, y, height=0.02),
    "fill_between": lambda ax, x, y, z: ax.fill_between(x, y, 0, where=x > 0.5),
    "pcolormesh": lambda ax, x, y, z: ax.pcolormesh(x[:6], x[:5], z),
    "quiver": lambda ax, x, y, z: ax.quiver(x, y, x, y),
    "streamplot": lambda ax, x, y, z: ax.streamplot(x[:5], x[:4], z, z),
    "step": lambda ax, x, y, z: ax.step(x, y),
    "stem": lambda ax, x, y, z: ax.stem(x, y),
    "boxplot": lambda ax, x, y, z: ax.boxplot(z),
    "violinplot": lambda ax, x, y, z: ax.violinplot(y),
    "pie": lambda ax, x, y, z: ax.pie(y[1:4]),
    "stackplot": lambda ax, x, y, z: ax.stackplot(x, x, y),
    "hexbin": lambda ax, x, y, z: ax.hexbin(x, y, gridsize=5),
    "vlines": lambda ax, x, y, z: ax.vlines(x, 0, y),
    "lines": lambda ax, x, y, z: ax.add_collection(LineCollection(z[:, :4].reshape(4, 2, 2) / 20, array=y[:4])),
    "limits and ticks": lambda ax, x, y, z: (ax.plot(x), ax.set_xlim(x[1], z[3, 4]), ax.set_xticks(z[0])),
    "colour bar": lambda ax, x, y, z: ax.figure.colorbar(ax.imshow(z), ticks=z[0]),
    "new data": lambda ax, x, y, z: (ax.plot(x, y)[0].set_data(x, y * y), ax.imshow(z).set_data(z * 2)),
}


def drawn(plot, convert):
    x = numpy.linspace(0.0, 1.0, 20)
    figure, axes = pyplot.subplots(figsize=(3, 2))
    try:
        PLOTS[plot](axes, convert(x), convert(numpy.sin(3 * x) ** 2), convert(numpy.arange(20.0).reshape(4, 5)))
        figure.canvas.draw()
        return numpy.array(figure.canvas.buffer_rgba())
    finally:
        pyplot.close(figure)


@pytest.mark.parametrize("plot", PLOTS)
def test_plots_match_numpy(plot):
    expected = drawn(plot, numpy.array)
    assert len(numpy.unique(expected)) > 2
    assert numpy.array_equal(drawn(plot, np.array), expected)


def test_surfaces_match_numpy():
    pictures = []
    for convert in (numpy.array, np.array):
        figure = pyplot.figure(figsize=(3, 2))
        axes = figure.add_subplot(projection="3d")
        x = convert(numpy.linspace(0.0, 1.0, 5))
        grid = numpy.meshgrid(x, x)
        axes.plot_surface(*grid, grid[0] * grid[1])
        axes.scatter(x, x, x)
        figure.canvas.draw()
        pictures.append(numpy.array(figure.canvas.buffer_rgba()))
        pyplot.close(figure)
    assert numpy.array_equal(*pictures)


def test_colors_match_numpy():
    values = np.array([0.0, 0.5, 1.0])
    colours = np.array([[0.0, 0.0, 0.0], [1.0, 0.5, 0.0]])
    assert matplotlib.colors.to_rgba(colours[1]) == (1.0, 0.5, 0.0, 1.0)
    for make in (matplotlib.colors.ListedColormap, lambda table: matplotlib.colors.LinearSegmentedColormap.from_list("mine", table)):
        assert numpy.array_equal(make(colours)(values), make(numpy.array(colours))(numpy.array(values)))
    norm = matplotlib.colors.Normalize(values[0], values[-1])
    assert numpy.array_equal(norm(values), [0.0, 0.5, 1.0])
