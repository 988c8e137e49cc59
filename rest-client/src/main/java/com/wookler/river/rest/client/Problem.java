package com.wookler.river.rest.client;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * A problem document (RFC 9457) in a server's response.
 *
 * @param type stable name, such as {@code urn:river:problem:queue-full}
 * @param title the type in words
 * @param status of HTTP
 * @param detail what was wrong with this request
 * @param field the part of the request that is wrong
 * @param actual the sequence that is there instead of the expected one
 * @param requestId the id of the request in the server's log
 */
public record Problem(
    String type,
    String title,
    int status,
    @Nullable String detail,
    @Nullable String field,
    @Nullable Long actual,
    @Nullable String requestId)
    implements Serializable {}
