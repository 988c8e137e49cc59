package com.wookler.river.core.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.StringTokenizer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application without JEXL or RE2/J, in which nobody uses an expression until somebody does. */
class MissingLibraryTest {
  @ParameterizedTest
  @ValueSource(strings = {"commons-jexl3", "re2j"})
  void shouldNameTheLibraryThatIsMissing(String library) throws Exception {
    try (URLClassLoader without = classes(library)) {
      Class<?> type = without.loadClass(FilterExpression.class.getName());
      Method parse = type.getMethod("parse", String.class);

      assertThat(type).isNotSameAs(FilterExpression.class);
      assertThatThrownBy(() -> parse.invoke(null, "key == 'EU'"))
          .isInstanceOf(InvocationTargetException.class)
          .cause()
          .hasMessageContainingAll("org.apache.commons:commons-jexl3", "com.google.re2j:re2j");
    }
  }

  private static URLClassLoader classes(String missing) throws IOException {
    List<URL> urls = new ArrayList<>();
    StringTokenizer entries =
        new StringTokenizer(System.getProperty("java.class.path"), File.pathSeparator);
    while (entries.hasMoreTokens()) {
      String entry = entries.nextToken();
      if (!entry.contains(missing)) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }
}
