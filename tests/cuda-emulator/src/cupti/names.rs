//! Names of functions and results.

/// Returns the name of a function by CUPTI's number, like `cuptiGetCallbackName`.
pub(super) fn name(domain: u32, number: u32) -> Option<&'static str> {
    const DRIVER: u32 = 1;
    const RUNTIME: u32 = 2;
    const RESOURCE: u32 = 3;
    match (domain, number) {
        (DRIVER, _) => {
            let found = crate::driver::FUNCTIONS
                .iter()
                .find(|(_, known)| *known == number && number != 0);
            found.map(|(name, _)| *name)
        }
        (RUNTIME, 211) => Some("cudaLaunchKernel_v7000"),
        (RESOURCE, 13) => Some("CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED"),
        (RESOURCE, 20) => Some("CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED"),
        _ => None,
    }
}

/// The name of a `CUptiResult`.
pub(super) fn result(code: u32) -> Option<&'static str> {
    Some(match code {
        0 => "CUPTI_SUCCESS",
        1 => "CUPTI_ERROR_INVALID_PARAMETER",
        10 => "CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT",
        12 => "CUPTI_ERROR_MAX_LIMIT_REACHED",
        14 => "CUPTI_ERROR_NOT_COMPATIBLE",
        15 => "CUPTI_ERROR_NOT_INITIALIZED",
        18 => "CUPTI_ERROR_QUEUE_EMPTY",
        21 => "CUPTI_ERROR_INVALID_KIND",
        39 => "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED",
        999 => "CUPTI_ERROR_UNKNOWN",
        _ => return None,
    })
}
