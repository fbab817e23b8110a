/* What both test backends share: a report that is a line of JSON for every call, and payloads decoded by the schemas
 * that were registered, with nothing but NVIDIA's header to go by.
 *
 * Included after the header nvtxw3.h of the ABI. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Compiled with -DFAIL_CALL='"StreamOpen"', that call returns FAIL_CODE. */
#ifndef FAIL_CALL
#define FAIL_CALL ""
#endif
#ifndef FAIL_CODE
#define FAIL_CODE 1
#endif
#define FAIL_IF_ASKED(call)                                                                        \
    do                                                                                             \
    {                                                                                              \
        if (strcmp(FAIL_CALL, call) == 0) return FAIL_CODE;                                        \
    } while (0)

/* Compiled with -DHANG_CALL='"EventWrite"', that call never returns. */
#ifndef HANG_CALL
#define HANG_CALL ""
#endif
#define HANG_IF_ASKED(call)                                                                        \
    while (strcmp(HANG_CALL, call) == 0) sleep(1)

#define EXPORT __attribute__((visibility("default")))

typedef struct Schema
{
    uint64_t id;
    int is_enum;
    char* name;
    uint64_t type;
    size_t size; /* of a value, or of a static payload */
    nvtxPayloadSchemaEntry_t* entries;
    size_t count;
} Schema;

typedef struct Domain
{
    char* name;
    Schema schemas[16];
    size_t schema_count;
    char** strings;
    size_t string_count;
} Domain;

typedef struct Session
{
    FILE* report;
    Domain* domains[16];
    size_t domain_count;
    uint64_t next_id;
    unsigned streams;
} Session;

static char* copied(const char* text)
{
    size_t size = strlen(text) + 1;
    char* copy = (char*)malloc(size);
    memcpy(copy, text, size);
    return copy;
}

/* A text as JSON; null as null. */
static void json(FILE* to, const char* text)
{
    if (!text)
    {
        fputs("null", to);
        return;
    }
    fputc('"', to);
    for (; *text; ++text)
    {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            fprintf(to, "\\%c", byte);
        else if (byte < 0x20)
            fprintf(to, "\\u%04x", byte);
        else
            fputc(byte, to);
    }
    fputc('"', to);
}

/* A line: a call and its fields. Of the fields `s` is a text, `u` an unsigned and `i` a signed number of 64 bits. */
static void line(Session* session, const char* call, const char* kinds, ...)
{
    va_list list;
    va_start(list, kinds);
    fprintf(session->report, "{\"call\":\"%s\"", call);
    for (; *kinds; ++kinds)
    {
        fprintf(session->report, ",\"%s\":", va_arg(list, const char*));
        if (*kinds == 's')
            json(session->report, va_arg(list, const char*));
        else if (*kinds == 'u')
            fprintf(session->report, "%llu", va_arg(list, unsigned long long));
        else
            fprintf(session->report, "%lld", va_arg(list, long long));
    }
    fputs("}\n", session->report);
    va_end(list);
}

#define U(value) ((unsigned long long)(value))
#define I(value) ((long long)(value))

/* The session's report is `name` and the extension that Nsight Systems' backend adds. */
static Session* session_begin(const char* name)
{
    Session* session = (Session*)calloc(1, sizeof(Session));
    size_t size = strlen(name) + sizeof(".nsys-rep");
    char* path = (char*)malloc(size);
    snprintf(path, size, "%s.nsys-rep", name);
    session->report = fopen(path, "w");
    session->next_id = U(1) << 32;
    free(path);
    if (!session->report)
    {
        free(session);
        return NULL;
    }
    return session;
}

static int session_end(Session* session)
{
    return fclose(session->report) == 0;
}

static Domain* domain_named(Session* session, const char* name)
{
    size_t at;
    Domain* domain;
    for (at = 0; at < session->domain_count; ++at)
        if (strcmp(session->domains[at]->name, name) == 0) return session->domains[at];
    if (session->domain_count == 16) return NULL;
    domain = (Domain*)calloc(1, sizeof(Domain));
    domain->name = copied(name);
    session->domains[session->domain_count++] = domain;
    return domain;
}

static const Schema* schema_of(const Domain* domain, uint64_t id)
{
    size_t at;
    for (at = 0; at < domain->schema_count; ++at)
        if (domain->schemas[at].id == id) return &domain->schemas[at];
    return NULL;
}

/* Registers, and writes the line. 0: the backend refuses. */
static uint64_t add_schema(
    Session* session, Domain* domain, const nvtxPayloadSchemaAttr_t* attr, uint64_t id)
{
    Schema* schema;
    size_t at;
    if (domain->schema_count == 16 || schema_of(domain, id)) return 0;
    schema = &domain->schemas[domain->schema_count++];
    schema->id = id;
    schema->is_enum = 0;
    schema->name = copied(attr->name);
    schema->type = attr->type;
    schema->size = attr->payloadStaticSize;
    schema->count = attr->numEntries;
    schema->entries =
        (nvtxPayloadSchemaEntry_t*)malloc(attr->numEntries * sizeof(nvtxPayloadSchemaEntry_t));
    memcpy(schema->entries, attr->entries, attr->numEntries * sizeof(nvtxPayloadSchemaEntry_t));
    fprintf(session->report, "{\"call\":\"SchemaRegister\",\"domain\":");
    json(session->report, domain->name);
    fprintf(session->report, ",\"fieldMask\":%llu,\"name\":", U(attr->fieldMask));
    json(session->report, attr->name);
    fprintf(
        session->report,
        ",\"type\":%llu,\"flags\":%llu,\"payloadStaticSize\":%llu,\"packAlign\":%llu,\"schemaId\":%llu,"
        "\"givenId\":%llu,\"extension\":%d,\"entries\":[",
        U(attr->type), U(attr->flags), U(attr->payloadStaticSize), U(attr->packAlign), U(id),
        U(attr->schemaId), attr->extension != NULL);
    for (at = 0; at < attr->numEntries; ++at)
    {
        nvtxPayloadSchemaEntry_t* entry = &schema->entries[at];
        entry->name = copied(entry->name);
        fprintf(session->report, "%s{\"name\":", at ? "," : "");
        json(session->report, entry->name);
        fprintf(session->report, ",\"description\":");
        json(session->report, entry->description);
        fprintf(
            session->report,
            ",\"flags\":%llu,\"type\":%llu,\"arrayOrUnionDetail\":%llu,\"offset\":%llu,\"semantics\":%d,"
            "\"reserved\":%d}",
            U(entry->flags), U(entry->type), U(entry->arrayOrUnionDetail), U(entry->offset),
            entry->semantics != NULL, entry->reserved != NULL);
    }
    fputs("]}\n", session->report);
    return id;
}

static uint64_t add_enum(
    Session* session, Domain* domain, const nvtxPayloadEnumAttr_t* attr, uint64_t id)
{
    Schema* schema;
    size_t at;
    if (domain->schema_count == 16 || schema_of(domain, id)) return 0;
    schema = &domain->schemas[domain->schema_count++];
    schema->id = id;
    schema->is_enum = 1;
    schema->name = copied(attr->name);
    schema->size = attr->sizeOfEnum;
    fprintf(session->report, "{\"call\":\"EnumRegister\",\"domain\":");
    json(session->report, domain->name);
    fprintf(session->report, ",\"fieldMask\":%llu,\"name\":", U(attr->fieldMask));
    json(session->report, attr->name);
    fprintf(
        session->report, ",\"sizeOfEnum\":%llu,\"schemaId\":%llu,\"givenId\":%llu,\"extension\":%d,\"entries\":[",
        U(attr->sizeOfEnum), U(id), U(attr->schemaId), attr->extension != NULL);
    for (at = 0; at < attr->numEntries; ++at)
    {
        fprintf(session->report, "%s{\"name\":", at ? "," : "");
        json(session->report, attr->entries[at].name);
        fprintf(
            session->report, ",\"value\":%llu,\"isFlag\":%d}", U(attr->entries[at].value),
            attr->entries[at].isFlag);
    }
    fputs("]}\n", session->report);
    return id;
}

/* A text within one of the payloads, its end included; else NULL. */
static const char* inside(const char* text, const nvtxPayloadData_t* payloads, size_t count)
{
    size_t at;
    for (at = 0; at < count; ++at)
    {
        const char* begin = (const char*)payloads[at].payload;
        if (text >= begin && text < begin + payloads[at].size)
            return memchr(text, 0, payloads[at].size - (size_t)(text - begin)) ? text : NULL;
    }
    return NULL;
}

static void field(
    Session* session, const Domain* domain, const nvtxPayloadSchemaEntry_t* entry,
    const nvtxPayloadData_t* own, const nvtxPayloadData_t* payloads, size_t count)
{
    const unsigned char* at = (const unsigned char*)own->payload + entry->offset;
    const Schema* schema;
    size_t size = 8;
    uint64_t number = 0;
    const char* text;
    int is_text = 0;
    switch (entry->type)
    {
    case NVTX_PAYLOAD_ENTRY_TYPE_INT64:
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT64: break;
    case NVTX_PAYLOAD_ENTRY_TYPE_UINT32:
    case NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY:
    case NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB: size = 4; break;
    case NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF8:
        is_text = 1;
        if (!(entry->flags & NVTX_PAYLOAD_ENTRY_FLAG_POINTER)) size = 1;
        break;
    case NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE: is_text = 1; break;
    default:
        schema = schema_of(domain, entry->type);
        size = schema && schema->is_enum ? schema->size : 0;
    }
    json(session->report, entry->name);
    fputc(':', session->report);
    if (size == 0 || entry->offset + size > own->size)
    {
        fputs("\"outside of the payload, or of an unknown type\"", session->report);
        return;
    }
    if (entry->type == NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE)
    {
        uintptr_t handle;
        memcpy(&handle, at, sizeof(handle));
        /* Handles are numbers of the domain's strings, from 1. */
        text = handle >= 1 && handle <= domain->string_count ? domain->strings[handle - 1] : NULL;
        json(session->report, text);
        return;
    }
    if (is_text)
    {
        text = (const char*)at;
        if (entry->flags & NVTX_PAYLOAD_ENTRY_FLAG_POINTER) memcpy(&text, at, sizeof(text));
        json(session->report, inside(text, payloads, count));
        return;
    }
    memcpy(&number, at, size);
    if (entry->type == NVTX_PAYLOAD_ENTRY_TYPE_INT64)
        fprintf(session->report, "%lld", I(number));
    else
        fprintf(session->report, "%llu", U(number));
}

static void add_event(
    Session* session, const Domain* domain, const char* stream, const nvtxPayloadData_t* payloads,
    size_t count)
{
    size_t at, entry;
    HANG_IF_ASKED("EventWrite");
    fprintf(session->report, "{\"call\":\"EventWrite\",\"stream\":");
    json(session->report, stream);
    fputs(",\"payloads\":[", session->report);
    for (at = 0; at < count; ++at)
    {
        const Schema* schema = schema_of(domain, payloads[at].schemaId);
        fprintf(
            session->report, "%s{\"schemaId\":%llu,\"size\":%llu,\"schema\":", at ? "," : "",
            U(payloads[at].schemaId), U(payloads[at].size));
        json(session->report, schema ? schema->name : NULL);
        fputs(",\"fields\":{", session->report);
        for (entry = 0; schema && entry < schema->count; ++entry)
        {
            if (entry) fputc(',', session->report);
            field(session, domain, &schema->entries[entry], &payloads[at], payloads, count);
        }
        fputs("}}", session->report);
    }
    fputs("]}\n", session->report);
}
