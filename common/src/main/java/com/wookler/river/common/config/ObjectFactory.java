package com.wookler.river.common.config;

import com.wookler.river.common.errors.ConfigurationException;
import java.lang.reflect.InvocationTargetException;
import org.jspecify.annotations.Nullable;

/** Creates objects of classes that a configuration names. */
final class ObjectFactory {
  private ObjectFactory() {}

  static <T> T create(ConfigNode node, @Nullable String param, String className, Class<T> type) {
    Class<? extends T> found = find(node, param, className, type);
    T created;
    try {
      created = found.getConstructor().newInstance();
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw node.error(param, "the constructor of class " + className + " failed: " + cause, cause);
    } catch (ReflectiveOperationException e) {
      throw node.error(
          param,
          "class "
              + className
              + " must be public, not abstract, and have a public constructor"
              + " without parameters",
          e);
    } catch (LinkageError e) {
      throw node.error(param, "class " + className + " cannot be initialised: " + e, e);
    }
    if (created instanceof Configurable configurable) {
      try {
        configurable.configure(node);
      } catch (ConfigurationException e) {
        throw node.located(e);
      }
    }
    return created;
  }

  static <T> Class<? extends T> find(
      ConfigNode node, @Nullable String param, String className, Class<T> type) {
    Class<?> found = load(node, param, className, Thread.currentThread().getContextClassLoader());
    if (found == null) {
      found = load(node, param, className, type.getClassLoader());
    }
    if (found == null) {
      throw node.error(param, "there is no class " + className + " on the class path", null);
    }
    if (!type.isAssignableFrom(found)) {
      throw node.error(param, "class " + className + " is not a " + type.getName(), null);
    }
    return found.asSubclass(type);
  }

  private static @Nullable Class<?> load(
      ConfigNode node, @Nullable String param, String className, @Nullable ClassLoader loader) {
    try {
      return Class.forName(className.trim(), false, loader);
    } catch (ClassNotFoundException e) {
      return null;
    } catch (LinkageError e) {
      throw node.error(param, "class " + className + " cannot be loaded: " + e, e);
    }
  }
}
