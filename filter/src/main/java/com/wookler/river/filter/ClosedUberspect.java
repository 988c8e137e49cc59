package com.wookler.river.filter;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.commons.jexl3.JexlArithmetic;
import org.apache.commons.jexl3.JexlEngine;
import org.apache.commons.jexl3.JexlOperator;
import org.apache.commons.jexl3.introspection.JexlMethod;
import org.apache.commons.jexl3.introspection.JexlPropertyGet;
import org.apache.commons.jexl3.introspection.JexlPropertySet;
import org.apache.commons.jexl3.introspection.JexlUberspect;
import org.jspecify.annotations.Nullable;

/**
 * Gives an expression access to fields of maps and elements of lists, and nothing else. It uses no
 * reflection, so an expression finds no class, method, constructor or field.
 */
@SuppressWarnings("deprecation") // getArithmetic has to be there
final class ClosedUberspect implements JexlUberspect {
  private static final JexlPropertyGet MISSING = new Property("");

  @Override
  public @Nullable JexlPropertyGet getPropertyGet(Object of, Object name) {
    if (of instanceof Map) {
      return new Property(name.toString());
    }
    if (of instanceof List) {
      return name instanceof Integer ? new Property(name) : MISSING;
    }
    return MISSING;
  }

  @Override
  public @Nullable JexlPropertyGet getPropertyGet(
      @Nullable List<PropertyResolver> resolvers, Object of, Object name) {
    return getPropertyGet(of, name);
  }

  @Override
  public @Nullable Class<?> getClassByName(String name) {
    return null;
  }

  @Override
  public ClassLoader getClassLoader() {
    return ClosedUberspect.class.getClassLoader();
  }

  @Override
  public @Nullable JexlMethod getConstructor(Object type, Object... arguments) {
    return null;
  }

  @Override
  public @Nullable Iterator<?> getIterator(Object of) {
    return null;
  }

  @Override
  public @Nullable JexlMethod getMethod(Object of, String name, Object... arguments) {
    return null;
  }

  @Override
  public @Nullable JexlPropertySet getPropertySet(
      @Nullable List<PropertyResolver> resolvers, Object of, Object name, Object value) {
    return null;
  }

  @Override
  public @Nullable JexlPropertySet getPropertySet(Object of, Object name, Object value) {
    return null;
  }

  @Override
  public JexlArithmetic.@Nullable Uberspect getArithmetic(JexlArithmetic arithmetic) {
    return null;
  }

  @Override
  public List<PropertyResolver> getResolvers(@Nullable JexlOperator operator, Object of) {
    return List.of();
  }

  @Override
  public int getVersion() {
    return 0;
  }

  @Override
  public void setClassLoader(ClassLoader loader) {}

  /** Reads a field of a map, or an element of a list; null where there is none. */
  private record Property(Object name) implements JexlPropertyGet {
    @Override
    public @Nullable Object invoke(Object of) {
      if (of instanceof Map<?, ?> map) {
        return map.get(name);
      }
      if (of instanceof List<?> list && name instanceof Integer index) {
        return index >= 0 && index < list.size() ? list.get(index) : null;
      }
      return null;
    }

    @Override
    public Object tryInvoke(Object of, Object other) {
      return JexlEngine.TRY_FAILED; // nothing is kept from message to message
    }

    @Override
    public boolean tryFailed(Object answer) {
      return answer == JexlEngine.TRY_FAILED;
    }

    @Override
    public boolean isCacheable() {
      return false;
    }
  }
}
