/* A backend of the newer ABI (pip's nvidia-nvtx 13.5) whose report is a line of JSON for every call.
 *
 * -DLACKS_EVENT_WRITE: its table has no EventWrite.
 * -DBARE: it supports neither categories, scopes nor enumerations. */

#define NVTX_NO_IMPL
#include <nvtxw3/nvtxw3.h>

#include "record.h"

struct nvtxwStream_st
{
    Session* session;
    Domain* domain;
    char* name;
};

/* A domain as the caller sees it. */
struct nvtxDomainRegistration_st
{
    Session* session;
    Domain* domain;
};

#ifdef BARE
#define NOT_IF_BARE return NVTXW_RESULT_NOT_SUPPORTED
#else
#define NOT_IF_BARE (void)0
#endif

static nvtxwResultCode_t SessionBegin(
    const nvtxwSessionAttributes_t* attr, nvtxwSessionHandle_t* sessionOut)
{
    Session* session;
    FAIL_IF_ASKED("SessionBegin");
    if (attr->structSize < sizeof(*attr)) return NVTXW_RESULT_INVALID_ARGUMENT;
    session = session_begin(attr->name);
    if (!session) return NVTXW_RESULT_FAILED;
    line(session, "SessionBegin", "uss", "structSize", U(attr->structSize), "name", attr->name,
        "configString", attr->configString);
    *sessionOut = (nvtxwSessionHandle_t)session;
    return NVTXW_RESULT_SUCCESS;
}

static nvtxwResultCode_t SessionEnd(nvtxwSessionHandle_t handle)
{
    Session* session = (Session*)handle;
    line(session, "SessionEnd", "");
    if (!session_end(session)) return NVTXW_RESULT_FAILED;
    FAIL_IF_ASKED("SessionEnd");
    return NVTXW_RESULT_SUCCESS;
}

static nvtxwResultCode_t DomainRegister(
    nvtxwSessionHandle_t handle, const nvtxwDomainAttributes_t* attr, nvtxDomainHandle_t* domainOut)
{
    Session* session = (Session*)handle;
    nvtxDomainHandle_t domain;
    FAIL_IF_ASKED("DomainRegister");
    if (attr->structSize < sizeof(*attr)) return NVTXW_RESULT_INVALID_ARGUMENT;
    line(session, "DomainRegister", "us", "structSize", U(attr->structSize), "name", attr->name);
    domain = (nvtxDomainHandle_t)calloc(1, sizeof(*domain));
    domain->session = session;
    domain->domain = domain_named(session, attr->name);
    *domainOut = domain;
    return NVTXW_RESULT_SUCCESS;
}

static nvtxwResultCode_t CategoryRegister(
    nvtxDomainHandle_t domain, uint32_t category, const char* name)
{
    FAIL_IF_ASKED("CategoryRegister");
    NOT_IF_BARE;
    line(domain->session, "CategoryRegister", "sus", "domain", domain->domain->name, "category",
        U(category), "name", name);
    return NVTXW_RESULT_SUCCESS;
}

static nvtxwResultCode_t StringRegister(
    nvtxDomainHandle_t handle, const char* string, nvtxStringHandle_t* stringHandleOut)
{
    Domain* domain = handle->domain;
    FAIL_IF_ASKED("StringRegister");
    domain->strings =
        (char**)realloc(domain->strings, (domain->string_count + 1) * sizeof(char*));
    domain->strings[domain->string_count++] = copied(string);
    line(handle->session, "StringRegister", "ss", "domain", domain->name, "string", string);
    *stringHandleOut = (nvtxStringHandle_t)(uintptr_t)domain->string_count;
    return NVTXW_RESULT_SUCCESS;
}

static nvtxwResultCode_t ScopeRegister(
    nvtxDomainHandle_t domain, const nvtxScopeAttr_t* attr, uint64_t* scopeIdOut)
{
    FAIL_IF_ASKED("ScopeRegister");
    NOT_IF_BARE;
    if (attr->structSize < sizeof(*attr)) return NVTXW_RESULT_INVALID_ARGUMENT;
    *scopeIdOut = domain->session->next_id++;
    line(domain->session, "ScopeRegister", "susuuu", "domain", domain->domain->name, "structSize",
        U(attr->structSize), "path", attr->path, "parentScope", U(attr->parentScope), "givenId",
        U(attr->scopeId), "scopeId", U(*scopeIdOut));
    return NVTXW_RESULT_SUCCESS;
}

static nvtxwResultCode_t SchemaRegister(
    nvtxDomainHandle_t domain, const nvtxPayloadSchemaAttr_t* attr, uint64_t* schemaIdOut)
{
    FAIL_IF_ASKED("SchemaRegister");
    *schemaIdOut =
        add_schema(domain->session, domain->domain, attr, domain->session->next_id++);
    return *schemaIdOut ? NVTXW_RESULT_SUCCESS : NVTXW_RESULT_FAILED;
}

static nvtxwResultCode_t EnumRegister(
    nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t* attr, uint64_t* enumIdOut)
{
    FAIL_IF_ASKED("EnumRegister");
    NOT_IF_BARE;
    *enumIdOut = add_enum(domain->session, domain->domain, attr, domain->session->next_id++);
    return *enumIdOut ? NVTXW_RESULT_SUCCESS : NVTXW_RESULT_FAILED;
}

static nvtxwResultCode_t StreamOpen(
    nvtxwSessionHandle_t of, const nvtxwStreamAttributes_t* attr, nvtxwStreamHandle_t* streamOut)
{
    Session* session = (Session*)of;
    nvtxwStreamHandle_t stream;
    FAIL_IF_ASKED("StreamOpen");
    if (attr->structSize < sizeof(*attr) || !attr->domain) return NVTXW_RESULT_INVALID_ARGUMENT;
    stream = (nvtxwStreamHandle_t)calloc(1, sizeof(*stream));
    stream->session = session;
    stream->domain = attr->domain->domain;
    stream->name = copied(attr->name);
    session->streams++;
    line(session, "StreamOpen", "ussuuiiii", "structSize", U(attr->structSize), "name", attr->name,
        "domain", stream->domain->name, "scopeId", U(attr->scopeId), "timeDomain",
        U(attr->timeDomainId), "orderInterleaving", I(attr->orderInterleaving), "orderingType",
        I(attr->orderingType), "orderingSkid", I(attr->orderingSkid), "orderingSkidAmount",
        I(attr->orderingSkidAmount));
    *streamOut = stream;
    return NVTXW_RESULT_SUCCESS;
}

static nvtxwResultCode_t StreamClose(nvtxwStreamHandle_t stream)
{
    FAIL_IF_ASKED("StreamClose");
    line(stream->session, "StreamClose", "s", "stream", stream->name);
    free(stream->name);
    free(stream);
    return NVTXW_RESULT_SUCCESS;
}

static nvtxwResultCode_t EventWrite(
    nvtxwStreamHandle_t stream, const nvtxPayloadData_t* payloads, size_t count)
{
    FAIL_IF_ASKED("EventWrite");
    add_event(stream->session, stream->domain, stream->name, payloads, count);
    return NVTXW_RESULT_SUCCESS;
}

/* Members that no test needs stay NULL. */
static nvtxwInterface_v2_t interface;

EXPORT nvtxwResultCode_t nvtxwGetInterface(nvtxwInterfaceVersion_t version, const void** ifaceOut)
{
    FAIL_IF_ASKED("nvtxwGetInterface");
    if (version != NVTXW_INTERFACE_VERSION) return NVTXW_RESULT_INTERFACE_VERSION_NOT_SUPPORTED;
    interface.SessionBegin = SessionBegin;
    interface.SessionEnd = SessionEnd;
    interface.DomainRegister = DomainRegister;
    interface.CategoryRegister = CategoryRegister;
    interface.StringRegister = StringRegister;
    interface.ScopeRegister = ScopeRegister;
    interface.SchemaRegister = SchemaRegister;
    interface.EnumRegister = EnumRegister;
    interface.StreamOpen = StreamOpen;
    interface.StreamClose = StreamClose;
#ifndef LACKS_EVENT_WRITE
    interface.EventWrite = EventWrite;
#else
    (void)EventWrite;
#endif
    *ifaceOut = &interface;
    return NVTXW_RESULT_SUCCESS;
}
