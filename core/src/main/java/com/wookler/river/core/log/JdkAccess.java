package com.wookler.river.core.log;

import com.wookler.river.common.errors.RiverException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.util.List;

/**
 * Opens the packages of the JDK that Chronicle needs, so that users need no flag on Java 17 to 25.
 *
 * <p>{@code java.lang.reflect} and {@code sun.nio.ch} are closed to libraries by default; with one
 * of them closed Chronicle silently opens its queues read-only. This must run before the first
 * class of Chronicle is loaded. Where the JDK refuses, as it will once {@code sun.misc.Unsafe} is
 * gone, the error names both flags. The rejected alternative, {@code Add-Opens} in a manifest,
 * counts for {@code java -jar} only.
 */
final class JdkAccess {
  private static final List<String> NEEDED = List.of("java.lang.reflect", "sun.nio.ch");

  /** Without it Chronicle warns on the console and takes another way. */
  private static final String USEFUL = "jdk.internal.ref";

  /**
   * With assertions on, each instance of it, one a tailer and block, is kept for good and looked
   * through when the next is made.
   */
  private static final String HOARDER = "net.openhft.chronicle.core.threads.CleaningThreadLocal";

  private JdkAccess() {}

  /**
   * Returns when the packages are open; cheap to call again.
   *
   * @throws RiverException the JVM does not let us
   */
  static synchronized void ensure() {
    quietByDefault("chronicle.disk.monitor.disable"); // its thread would outlive every queue
    quietByDefault("chronicle.announcer.disable");
    ClassLoader loader = JdkAccess.class.getClassLoader();
    if (loader != null) {
      loader.setClassAssertionStatus(HOARDER, false);
    }
    if (isOpen(USEFUL) && NEEDED.stream().allMatch(JdkAccess::isOpen)) {
      return;
    }
    try {
      openAll(trustedLookup());
    } catch (Throwable e) {
      if (!NEEDED.stream().allMatch(JdkAccess::isOpen)) {
        throw new RiverException(
            "this JVM does not let River open two packages that its log needs; start it with"
                + " --add-opens java.base/java.lang.reflect=ALL-UNNAMED"
                + " --add-opens java.base/sun.nio.ch=ALL-UNNAMED",
            e);
      }
    }
  }

  private static boolean isOpen(String name) {
    return Object.class.getModule().isOpen(name, JdkAccess.class.getModule());
  }

  private static void openAll(MethodHandles.Lookup lookup) throws Throwable {
    MethodHandle opens =
        lookup.findVirtual(
            Module.class,
            "implAddOpensToAllUnnamed",
            MethodType.methodType(void.class, String.class));
    Module base = Object.class.getModule();
    for (String name : NEEDED) {
      opens.invoke(base, name);
    }
    opens.invoke(base, USEFUL);
  }

  /** The JDK's own lookup, read through Unsafe because nothing else reaches it without a flag. */
  private static MethodHandles.Lookup trustedLookup() throws ReflectiveOperationException {
    Class<?> type = Class.forName("sun.misc.Unsafe");
    Field instance = type.getDeclaredField("theUnsafe");
    instance.setAccessible(true);
    Object unsafe = instance.get(null);
    Field lookup = MethodHandles.Lookup.class.getDeclaredField("IMPL_LOOKUP");
    Object base = type.getMethod("staticFieldBase", Field.class).invoke(unsafe, lookup);
    Object offset = type.getMethod("staticFieldOffset", Field.class).invoke(unsafe, lookup);
    return (MethodHandles.Lookup)
        type.getMethod("getObject", Object.class, long.class).invoke(unsafe, base, offset);
  }

  private static void quietByDefault(String property) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, "true");
    }
  }
}
