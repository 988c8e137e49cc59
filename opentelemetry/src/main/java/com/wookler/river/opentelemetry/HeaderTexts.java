package com.wookler.river.opentelemetry;

import io.opentelemetry.context.propagation.TextMapGetter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the headers of a message for a propagator. */
enum HeaderTexts implements TextMapGetter<Map<String, byte[]>> {
  INSTANCE;

  @Override
  @SuppressWarnings("deprecation") // must be there all the same
  public Iterable<String> keys(Map<String, byte[]> headers) {
    return headers.keySet();
  }

  @Override
  public @Nullable String get(@Nullable Map<String, byte[]> headers, String key) {
    byte[] value = headers == null ? null : headers.get(key);
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }
}
