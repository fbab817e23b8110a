//! The names of NVIDIA's libraries.

/// An NVIDIA library that Weft loads at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CudaLibrary {
    /// The compiler of GPU kernels.
    Nvrtc,
    /// Matrix products on GPUs.
    Cublas,
    /// Fourier transforms on GPUs.
    Cufft,
    /// Matrix factorizations on GPUs.
    Cusolver,
    /// The recorder of GPU activity.
    Cupti,
}

impl CudaLibrary {
    /// Returns the name that users know.
    pub const fn name(self) -> &'static str {
        match self {
            CudaLibrary::Nvrtc => "NVRTC",
            CudaLibrary::Cublas => "cuBLAS",
            CudaLibrary::Cufft => "cuFFT",
            CudaLibrary::Cusolver => "cuSOLVER",
            CudaLibrary::Cupti => "CUPTI",
        }
    }

    /// Returns the environment variable with the library's path. If it is set, no other place is
    /// searched.
    pub const fn variable(self) -> &'static str {
        match self {
            CudaLibrary::Nvrtc => "WEFT_NVRTC",
            CudaLibrary::Cublas => "WEFT_CUBLAS",
            CudaLibrary::Cufft => "WEFT_CUFFT",
            CudaLibrary::Cusolver => "WEFT_CUSOLVER",
            CudaLibrary::Cupti => "WEFT_CUPTI",
        }
    }

    /// Returns how to get the library.
    pub const fn remedy(self) -> &'static str {
        match self {
            CudaLibrary::Nvrtc => {
                "install the CUDA toolkit or pip's nvidia-cuda-nvrtc, or set WEFT_NVRTC to the library's path"
            }
            CudaLibrary::Cublas => {
                "install the CUDA toolkit or pip's nvidia-cublas, or set WEFT_CUBLAS to the library's path"
            }
            CudaLibrary::Cufft => {
                "install the CUDA toolkit or pip's nvidia-cufft, or set WEFT_CUFFT to the library's path"
            }
            CudaLibrary::Cusolver => {
                "install the CUDA toolkit or pip's nvidia-cusolver, or set WEFT_CUSOLVER to the library's path"
            }
            CudaLibrary::Cupti => {
                "install the CUDA toolkit or pip's nvidia-cuda-cupti, or set WEFT_CUPTI to the library's path"
            }
        }
    }

    pub(super) const fn gives(self) -> &'static str {
        match self {
            CudaLibrary::Nvrtc => "kernels compiled for GPUs",
            CudaLibrary::Cublas => "products of matrices on GPUs",
            CudaLibrary::Cufft => "Fourier transforms on GPUs",
            CudaLibrary::Cusolver => "factors, solutions and eigenvalues of matrices on GPUs",
            CudaLibrary::Cupti => "device activity in a .prof without nsys",
        }
    }

    /// Returns the names of the library's file, the preferred one first.
    pub const fn files(self) -> [&'static str; 3] {
        match self {
            CudaLibrary::Nvrtc => ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"],
            CudaLibrary::Cublas => ["libcublas.so.13", "libcublas.so.12", "libcublas.so"],
            CudaLibrary::Cufft => ["libcufft.so.12", "libcufft.so.11", "libcufft.so"],
            // cuSOLVER's version is not CUDA's: 12 belongs to CUDA 13, and 11 to CUDA 12.
            CudaLibrary::Cusolver => ["libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"],
            CudaLibrary::Cupti => ["libcupti.so.13", "libcupti.so.12", "libcupti.so"],
        }
    }
}
