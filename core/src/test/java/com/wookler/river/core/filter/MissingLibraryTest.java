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
import org.junit.jupiter.api.Test;

/** An application without JEXL, in which nobody uses an expression until somebody does. */
class MissingLibraryTest {
  @Test
  void shouldNameTheLibraryThatIsMissing() throws Exception {
    try (URLClassLoader without = classes()) {
      Class<?> type = without.loadClass(FilterExpression.class.getName());
      Method parse = type.getMethod("parse", String.class);

      assertThat(type).isNotSameAs(FilterExpression.class);
      assertThatThrownBy(() -> parse.invoke(null, "key == 'EU'"))
          .isInstanceOf(InvocationTargetException.class)
          .cause()
          .hasMessageContaining("org.apache.commons:commons-jexl3");
    }
  }

  private static URLClassLoader classes() throws IOException {
    List<URL> urls = new ArrayList<>();
    StringTokenizer entries =
        new StringTokenizer(System.getProperty("java.class.path"), File.pathSeparator);
    while (entries.hasMoreTokens()) {
      String entry = entries.nextToken();
      if (!entry.contains("commons-jexl3")) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }
}
