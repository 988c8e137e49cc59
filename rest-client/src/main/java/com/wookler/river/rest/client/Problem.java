package com.wookler.river.rest.client;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * A problem document (RFC 9457), as a server answers with.
 *
 * @param type stable name, such as {@code urn:river:problem:queue-full}
 * @param title the same in words
 * @param status of HTTP
 * @param detail what was wrong here
 * @param field what of the request is wrong
 * @param requestId by which the server's log knows the request
 */
public record Problem(
    String type,
    String title,
    int status,
    @Nullable String detail,
    @Nullable String field,
    @Nullable String requestId)
    implements Serializable {}
