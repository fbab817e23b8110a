import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { listenKeys } from "../input/keyboard";
import { listenPointer } from "../input/pointer";
import { Stage } from "../stage";
import type { App } from "../state/app";
import { useStore } from "../state/store";
import { FilterBox, Lanes } from "./lanes";

export function Timeline({ app, forceCanvas }: { app: App; forceCanvas: boolean }): JSX.Element {
  const items = useRef<HTMLCanvasElement>(null);
  const overlay = useRef<HTMLCanvasElement>(null);
  const ruler = useRef<HTMLCanvasElement>(null);
  const overview = useRef<HTMLCanvasElement>(null);
  const plot = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (items.current === null || overlay.current === null || ruler.current === null || overview.current === null || plot.current === null) return undefined;
    const canvases = { items: items.current, overlay: overlay.current, ruler: ruler.current, overview: overview.current };
    const stage = new Stage(app, canvases, forceCanvas);
    const box = plot.current;
    const measure = (): void => stage.resize(Math.floor(box.clientWidth), Math.floor(box.clientHeight));
    const sizes = new ResizeObserver(measure);
    sizes.observe(box);
    measure();
    const stops = [listenPointer(app, stage, { ...canvases, plot: box }), listenKeys(app, stage)];
    return () => {
      sizes.disconnect();
      for (const stop of stops) stop();
    };
  }, [app, forceCanvas]);
  return (
    <main class="timeline" aria-label="Timeline">
      <div class="corner"><FilterBox app={app} /></div>
      <div class="head">
        <canvas ref={overview} class="overview" role="img" aria-label="The whole trace" />
        <canvas ref={ruler} class="ruler" role="img" aria-label="Time axis: drag to zoom to a range" />
      </div>
      <Lanes app={app} />
      <div ref={plot} class="plot" tabIndex={0} role="application" aria-label="Lanes over time. w and s zoom, a and d move, ? lists all keys">
        <canvas ref={items} class="items" />
        <canvas ref={overlay} class="overlay" />
        <Tooltip app={app} />
      </div>
    </main>
  );
}

function Tooltip({ app }: { app: App }): JSX.Element | null {
  const hover = useStore(app.store, (state) => state.hover);
  const size = useStore(app.store, (state) => state.size);
  if (hover === null || hover.text.length === 0) return null;
  const right = hover.x > Math.max(size.width - 320, size.width / 2);
  const low = hover.y > size.height - 110;
  // Longer texts are shortened instead of being clipped by the lanes.
  const room = Math.max(120, right ? hover.x - 12 : size.width - hover.x - 14);
  const style = {
    maxWidth: `${Math.min(420, room)}px`,
    ...(right ? { right: `${size.width - hover.x + 12}px` } : { left: `${hover.x + 14}px` }),
    ...(low ? { bottom: `${size.height - hover.y + 10}px` } : { top: `${hover.y + 16}px` }),
  };
  return (
    <div class="tooltip" role="tooltip" style={style}>
      {hover.text.map((line, index) => (index === 0 ? <b key={index}>{line}</b> : <span key={index}>{line}</span>))}
    </div>
  );
}
