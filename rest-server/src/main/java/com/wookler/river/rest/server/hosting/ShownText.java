package com.wookler.river.rest.server.hosting;

import org.jspecify.annotations.Nullable;

/**
 * Data as people are to see it.
 *
 * @param text null if there is none
 * @param error why a decoder made none; null if none failed
 */
public record ShownText(@Nullable String text, @Nullable String error) {
  /** Only the bytes are known. */
  public static final ShownText NONE = new ShownText(null, null);
}
