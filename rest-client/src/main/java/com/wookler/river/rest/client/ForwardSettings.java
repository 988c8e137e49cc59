package com.wookler.river.rest.client;

import org.jspecify.annotations.Nullable;

/**
 * How a queue forwards to another one. Settings that are null have the server's defaults.
 *
 * @param start where the forward begins in the log; counts only when the target is new. The target
 *     gets nothing that it has, or has passed; default earliest
 * @param filter which messages the target gets, as {@code headers.type == 'order'}
 * @param key the key in the target, as {@code json.customer}; {@code null} removes it
 * @param headers headers that are set in the target, as {@code {'region': key, 'secret': null}};
 *     the others stay, and {@code null} removes one
 * @param data the data in the target, as {@code json.order}: a text as its UTF-8, anything else as
 *     JSON
 * @param onFailure what becomes of a message over which one of these fails: it is passed over, goes
 *     as it was published, or the forward waits; default SKIP
 */
public record ForwardSettings(
    @Nullable Position start,
    @Nullable String filter,
    @Nullable String key,
    @Nullable String headers,
    @Nullable String data,
    @Nullable String onFailure) {

  /** Creates a builder in which every setting has the server's default. */
  public static Builder builder() {
    return new Builder();
  }

  /** Collects settings. Not thread-safe. */
  public static final class Builder {
    private @Nullable Position start;
    private @Nullable String filter;
    private @Nullable String key;
    private @Nullable String headers;
    private @Nullable String data;
    private @Nullable String onFailure;

    private Builder() {}

    /**
     * Sets {@code start}: where the forward begins in the log; counts only when the target is new.
     * The target gets nothing that it has, or has passed; default earliest.
     */
    public Builder start(Position value) {
      start = value;
      return this;
    }

    /** Sets {@code filter}: which messages the target gets, as {@code headers.type == 'order'}. */
    public Builder filter(String value) {
      filter = value;
      return this;
    }

    /**
     * Sets {@code key}: the key in the target, as {@code json.customer}; {@code null} removes it.
     */
    public Builder key(String value) {
      key = value;
      return this;
    }

    /**
     * Sets {@code headers}: headers that are set in the target, as {@code {'region': key, 'secret':
     * null}}; the others stay, and {@code null} removes one.
     */
    public Builder headers(String value) {
      headers = value;
      return this;
    }

    /**
     * Sets {@code data}: the data in the target, as {@code json.order}: a text as its UTF-8,
     * anything else as JSON.
     */
    public Builder data(String value) {
      data = value;
      return this;
    }

    /**
     * Sets {@code onFailure}: what becomes of a message over which one of these fails: it is passed
     * over, goes as it was published, or the forward waits; default SKIP.
     */
    public Builder onFailure(String value) {
      onFailure = value;
      return this;
    }

    /** Returns the settings. */
    public ForwardSettings build() {
      return new ForwardSettings(start, filter, key, headers, data, onFailure);
    }
  }
}
