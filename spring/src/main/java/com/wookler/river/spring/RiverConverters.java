package com.wookler.river.spring;

import com.wookler.river.core.message.MessageConverter;

/**
 * Chooses how the data of a type becomes bytes. By default strings are UTF-8, {@code byte[]} stays
 * as it is, and everything else is JSON; never Java serialization. A bean of this type replaces
 * that.
 */
@FunctionalInterface
public interface RiverConverters {
  /** Returns the converter of a type. */
  <T> MessageConverter<T> forType(Class<T> type);
}
