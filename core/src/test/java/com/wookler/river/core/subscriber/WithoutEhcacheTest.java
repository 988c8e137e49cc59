package com.wookler.river.core.subscriber;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.File;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The redelivery cache of an application that has no Ehcache on its class path. */
class WithoutEhcacheTest {
  @TempDir Path directory;

  private static URL[] classPathWithoutEhcache() throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!entry.contains("ehcache")) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    return urls.toArray(URL[]::new);
  }

  @Test
  void shouldSayWhatIsMissingWhereItIsConfigured() throws Exception {
    Path file = Files.writeString(directory.resolve("cache.xml"), "<config/>");
    try (URLClassLoader without =
        new URLClassLoader(classPathWithoutEhcache(), ClassLoader.getPlatformClassLoader())) {
      Class<?> caches = without.loadClass(RedeliveryCache.class.getName());
      Method of = caches.getMethod("of", Path.class);
      Method builtIn = caches.getMethod("builtIn");

      Throwable refused = catchThrowable(() -> of.invoke(null, file)).getCause();

      assertThat(refused.getClass().getSimpleName()).isEqualTo("ConfigurationException");
      assertThat(refused)
          .hasMessageContaining("ehcache.config")
          .hasMessageContaining("needs Ehcache, which is not on the class path")
          .hasMessageContaining("org.glassfish.jaxb:jaxb-runtime");
      assertThat(builtIn.invoke(null)).isNotNull();
    }
  }
}
