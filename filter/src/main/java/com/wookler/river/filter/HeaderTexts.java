package com.wookler.river.filter;

import java.nio.charset.StandardCharsets;
import java.util.AbstractMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Headers as texts, each decoded when it is used. */
final class HeaderTexts extends AbstractMap<String, String> {
  private final Map<String, byte[]> headers;

  HeaderTexts(Map<String, byte[]> headers) {
    this.headers = headers;
  }

  @Override
  public int size() {
    return headers.size();
  }

  @Override
  public boolean containsKey(@Nullable Object name) {
    return headers.containsKey(name);
  }

  @Override
  public @Nullable String get(@Nullable Object name) {
    byte[] value = headers.get(name);
    return value == null ? null : new String(value, StandardCharsets.UTF_8);
  }

  @Override
  public Set<Entry<String, String>> entrySet() {
    Map<String, String> texts = new LinkedHashMap<>();
    headers.keySet().forEach(name -> texts.put(name, get(name)));
    return texts.entrySet();
  }
}
