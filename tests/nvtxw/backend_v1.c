/* A backend of the older ABI (crate nvtxw 0.1.0) whose report is a line of JSON for every call.
 *
 * -DALSO_GET_INTERFACE: it exports its GetInterface under the name that the newer ABI has for it.
 * -DTOO_SMALL: its table ends before EventWrite. */

#define NVTX_NO_IMPL
#include <nvtxw3/nvtxw3.h>

#include "record.h"

typedef struct Stream
{
    Session* session;
    Domain* domain;
    char* name;
} Stream;

static nvtxwResultCode_t SessionBegin(
    nvtxwSessionHandle_t* handle, const nvtxwSessionAttributes_t* attr)
{
    Session* session;
    FAIL_IF_ASKED("SessionBegin");
    if (attr->struct_size < sizeof(*attr)) return NVTXW3_RESULT_INVALID_ARGUMENT;
    session = session_begin(attr->name);
    if (!session) return NVTXW3_RESULT_FAILED;
    line(session, "SessionBegin", "uss", "structSize", U(attr->struct_size), "name", attr->name,
        "configString", attr->configString);
    handle->opaque = session;
    return NVTXW3_RESULT_SUCCESS;
}

static nvtxwResultCode_t SessionEnd(nvtxwSessionHandle_t handle)
{
    Session* session = (Session*)handle.opaque;
    line(session, "SessionEnd", "");
    if (!session_end(session)) return NVTXW3_RESULT_FAILED;
    FAIL_IF_ASKED("SessionEnd");
    return NVTXW3_RESULT_SUCCESS;
}

static nvtxwResultCode_t StreamOpen(
    nvtxwStreamHandle_t* handle, nvtxwSessionHandle_t of, const nvtxwStreamAttributes_t* attr)
{
    Session* session = (Session*)of.opaque;
    Stream* stream;
    FAIL_IF_ASKED("StreamOpen");
    if (attr->struct_size < sizeof(*attr)) return NVTXW3_RESULT_INVALID_ARGUMENT;
    stream = (Stream*)calloc(1, sizeof(Stream));
    stream->session = session;
    stream->domain = domain_named(session, attr->nvtxDomainName);
    stream->name = copied(attr->name);
    session->streams++;
    line(session, "StreamOpen", "ussssiiii", "structSize", U(attr->struct_size), "name", attr->name,
        "domain", attr->nvtxDomainName, "scope", attr->eventScopePath, "timeDomain", NULL,
        "orderInterleaving", I(attr->orderInterleaving), "orderingType", I(attr->orderingType),
        "orderingSkid", I(attr->orderingSkid), "orderingSkidAmount", I(attr->orderingSkidAmount));
    handle->opaque = stream;
    return NVTXW3_RESULT_SUCCESS;
}

static nvtxwResultCode_t StreamClose(nvtxwStreamHandle_t handle)
{
    Stream* stream = (Stream*)handle.opaque;
    FAIL_IF_ASKED("StreamClose");
    line(stream->session, "StreamClose", "s", "stream", stream->name);
    free(stream->name);
    free(stream);
    return NVTXW3_RESULT_SUCCESS;
}

static nvtxwResultCode_t EventScopeRegister(
    nvtxwStreamHandle_t handle, const nvtxwEventScopeAttributes_t* attr)
{
    Stream* stream = (Stream*)handle.opaque;
    FAIL_IF_ASKED("EventScopeRegister");
    line(stream->session, "EventScopeRegister", "usu", "structSize", U(attr->struct_size), "path",
        attr->path, "scopeId", U(attr->scopeId));
    return NVTXW3_RESULT_SUCCESS;
}

/* An id that the caller may choose. */
static int is_static(uint64_t id)
{
    return id >= NVTX_PAYLOAD_ENTRY_TYPE_SCHEMA_ID_STATIC_START &&
        id < NVTX_PAYLOAD_ENTRY_TYPE_SCHEMA_ID_DYNAMIC_START;
}

static nvtxwResultCode_t SchemaRegister(
    nvtxwStreamHandle_t handle, const nvtxPayloadSchemaAttr_t* attr)
{
    Stream* stream = (Stream*)handle.opaque;
    FAIL_IF_ASKED("SchemaRegister");
    if (!(attr->fieldMask & NVTX_PAYLOAD_SCHEMA_ATTR_SCHEMA_ID) || !is_static(attr->schemaId))
        return NVTXW3_RESULT_INVALID_ARGUMENT;
    return add_schema(stream->session, stream->domain, attr, attr->schemaId)
        ? NVTXW3_RESULT_SUCCESS
        : NVTXW3_RESULT_FAILED;
}

static nvtxwResultCode_t EnumRegister(nvtxwStreamHandle_t handle, const nvtxPayloadEnumAttr_t* attr)
{
    Stream* stream = (Stream*)handle.opaque;
    FAIL_IF_ASKED("EnumRegister");
    if (!(attr->fieldMask & NVTX_PAYLOAD_ENUM_ATTR_SCHEMA_ID) || !is_static(attr->schemaId))
        return NVTXW3_RESULT_INVALID_ARGUMENT;
    return add_enum(stream->session, stream->domain, attr, attr->schemaId) ? NVTXW3_RESULT_SUCCESS
                                                                           : NVTXW3_RESULT_FAILED;
}

static nvtxwResultCode_t EventWrite(
    nvtxwStreamHandle_t handle, const nvtxPayloadData_t* payloads, size_t count)
{
    Stream* stream = (Stream*)handle.opaque;
    FAIL_IF_ASKED("EventWrite");
    add_event(stream->session, stream->domain, stream->name, payloads, count);
    return NVTXW3_RESULT_SUCCESS;
}

static const nvtxwInterfaceCore_t core = {
#ifdef TOO_SMALL
    offsetof(nvtxwInterfaceCore_t, EventWrite),
#else
    sizeof(nvtxwInterfaceCore_t),
#endif
    SessionBegin,
    SessionEnd,
    StreamOpen,
    StreamClose,
    EventScopeRegister,
    SchemaRegister,
    EnumRegister,
    EventWrite,
};

static nvtxwResultCode_t get_interface(nvtxwInterfaceId_t id, const void** iface)
{
    FAIL_IF_ASKED("GetInterface");
    if (id != NVTXW3_INTERFACE_ID_CORE_V1) return NVTXW3_RESULT_INTERFACE_ID_NOT_SUPPORTED;
    *iface = &core;
    return NVTXW3_RESULT_SUCCESS;
}

#ifdef ALSO_GET_INTERFACE
EXPORT nvtxwResultCode_t nvtxwGetInterface(nvtxwInterfaceId_t id, const void** iface)
{
    return get_interface(id, iface);
}
#endif

EXPORT nvtxwResultCode_t nvtxwLoadImplementation(
    const char* configString, nvtxwGetInterface_t* getInterfaceFunc)
{
    (void)configString;
    FAIL_IF_ASKED("nvtxwLoadImplementation");
    *getInterfaceFunc = get_interface;
    return NVTXW3_RESULT_SUCCESS;
}
