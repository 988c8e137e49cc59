package com.wookler.river.core.log;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import org.jspecify.annotations.Nullable;

/** Ends mappings now and not when the collector finds them. */
public final class Mappings {
  private static final @Nullable MethodHandle CLEANER = findCleaner();

  private Mappings() {}

  /**
   * Ends a mapping, once. Whoever uses the buffer afterwards ends the process. Nothing where the
   * JDK has no way to do it: then the collector does.
   */
  public static void unmap(MappedByteBuffer buffer) {
    if (CLEANER == null) {
      return;
    }
    try {
      CLEANER.invokeExact((ByteBuffer) buffer);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("cannot end a mapping", e);
    }
  }

  private static @Nullable MethodHandle findCleaner() {
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      Field instance = unsafe.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      return MethodHandles.lookup()
          .findVirtual(unsafe, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
          .bindTo(instance.get(null));
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }
}
