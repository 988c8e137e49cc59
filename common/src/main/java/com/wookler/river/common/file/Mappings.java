package com.wookler.river.common.file;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Forces mappings to the device, and ends them now and not when the collector finds them. */
public final class Mappings {
  /**
   * Whether a forced range of a mapping is on the device. On Linux {@code msync} does what {@code
   * fdatasync} does for the range, and reports an error to each mapping once; elsewhere a range may
   * stay in the drive's cache.
   */
  public static final boolean RANGES_REACH_THE_DEVICE =
      System.getProperty("os.name", "").startsWith("Linux");

  private static final @Nullable MethodHandle CLEANER = findCleaner();

  private Mappings() {}

  /**
   * Ends a mapping, once. Using the buffer afterwards crashes the process. Nothing where the JDK
   * has no way to do it: then the collector does.
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

  /**
   * Returns when all of a mapping is on the device. On Linux it needs no descriptor, and an
   * interrupt does not end it.
   *
   * @param file which is mapped
   */
  public static void force(MappedByteBuffer buffer, Path file) throws IOException {
    buffer.force();
    if (!RANGES_REACH_THE_DEVICE && Files.exists(file)) {
      DurableFiles.force(file);
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
