__device__ void saxpy(weft::Index<1> i, float a, weft::In<float, 1> x, weft::InOut<float, 1> y) {
    y(i) += a * x(i);
}
