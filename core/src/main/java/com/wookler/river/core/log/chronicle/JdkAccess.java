package com.wookler.river.core.log.chronicle;

import com.wookler.river.common.errors.RiverException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens the packages of the JDK that Chronicle needs, so that users need no flag on Java 17 to 25.
 * This must run before the first class of Chronicle is loaded, which else would silently open its
 * queues read-only, or end in the middle of an append. Where the JDK refuses, the error says what
 * is denied and which flag helps. The rejected alternative, {@code Add-Opens} in a manifest, counts
 * for {@code java -jar} only.
 */
final class JdkAccess {
  private static final List<String> NEEDED = List.of("java.lang.reflect", "sun.nio.ch");

  /** Without it Chronicle warns on the console and takes another way. */
  private static final String USEFUL = "jdk.internal.ref";

  /** With assertions on, each instance of it is kept, and looked through when one is made. */
  private static final String HOARDER = "net.openhft.chronicle.core.threads.CleaningThreadLocal";

  /** The JDK that first knows the flag by which memory access is denied. */
  private static final int FIRST_THAT_DENIES = 24;

  private JdkAccess() {}

  /** Opens the packages, or throws if the JVM does not let us; cheap to call again. */
  static synchronized void ensure() {
    quietByDefault("chronicle.disk.monitor.disable"); // its thread would outlive every queue
    quietByDefault("chronicle.announcer.disable");
    ClassLoader loader = JdkAccess.class.getClassLoader();
    if (loader != null) {
      loader.setClassAssertionStatus(HOARDER, false);
    }
    refuseModulePath(JdkAccess.class.getModule(), chronicle(loader));
    if (Runtime.version().feature() >= FIRST_THAT_DENIES) {
      refuseDeniedMemory("allocateMemory", "freeMemory");
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

  private static Module chronicle(@Nullable ClassLoader loader) {
    try {
      return Class.forName("net.openhft.chronicle.core.Jvm", false, loader).getModule();
    } catch (ClassNotFoundException e) {
      throw new RiverException("Chronicle Queue is not on the class path beside River", e);
    }
  }

  /** Packages are opened to the class path; Chronicle in a module of its own would not see it. */
  static void refuseModulePath(Module... modules) {
    for (Module module : modules) {
      if (module.isNamed()) {
        throw new RiverException(
            "module "
                + module.getName()
                + " is on the module path (--module-path, -p), where River does not run: the"
                + " packages of java.base that Chronicle Queue, its log, needs can be opened to the"
                + " class path only. Put the jars of River and of what it depends on on the class"
                + " path (--class-path, -cp); the application's own modules may stay where they are,"
                + " compiled and run with --add-reads <module>=ALL-UNNAMED");
      }
    }
  }

  /** Refuses a JVM that denies these methods, without which Chronicle fails at its first use. */
  static void refuseDeniedMemory(String allocate, String free) {
    try {
      Class<?> type = Class.forName("sun.misc.Unsafe");
      Object unsafe = unsafe(type);
      Object address = type.getMethod(allocate, long.class).invoke(unsafe, 1L);
      type.getMethod(free, long.class).invoke(unsafe, address);
    } catch (InvocationTargetException e) {
      throw new RiverException(
          "this JVM denies the methods of sun.misc.Unsafe for memory access, by which Chronicle Queue,"
              + " River's log, reads and writes its files: by --sun-misc-unsafe-memory-access=deny, or"
              + " because Java "
              + Runtime.version().feature()
              + " does so by default. No --add-opens helps. Start it with"
              + " --sun-misc-unsafe-memory-access=allow, or run it on Java 17 to 25 without the flag",
          e);
    } catch (ReflectiveOperationException e) {
      throw new RiverException(
          "Java "
              + Runtime.version().feature()
              + " has no methods of sun.misc.Unsafe for memory access any more, by which Chronicle"
              + " Queue, River's log, reads and writes its files. No flag helps; run it on Java 17 to"
              + " 25, or with a River whose log does without them",
          e);
    }
  }

  private static Object unsafe(Class<?> type) throws ReflectiveOperationException {
    Field instance = type.getDeclaredField("theUnsafe");
    instance.setAccessible(true);
    return instance.get(null);
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

  /** Returns the JDK's own lookup, read through Unsafe: nothing else reaches it without a flag. */
  private static MethodHandles.Lookup trustedLookup() throws ReflectiveOperationException {
    Class<?> type = Class.forName("sun.misc.Unsafe");
    Object unsafe = unsafe(type);
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
