package com.wookler.river.core.backup;

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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said where the native library cannot be loaded; each class loader loads its own. */
class CompressionTest {
  private static final String FOLDER = "ZstdTempFolder";

  @TempDir Path directory;

  @Test
  void shouldSayWhatToDoWhenTheLibraryCannotBeLoaded() throws Exception {
    Path missing = directory.resolve("missing");
    System.setProperty(FOLDER, missing.toString());
    try (URLClassLoader other = new URLClassLoader(classPath(), null)) {
      for (int i = 0; i < 2; i++) { // the second time the class itself is unusable
        assertThatThrownBy(() -> ensure(other))
            .hasMessageContaining("queue orders has a backup.directory")
            .hasMessageContaining("cannot be loaded")
            .hasMessageContaining(missing.toString())
            .hasMessageContaining("--enable-native-access=ALL-UNNAMED");
      }
    } finally {
      System.clearProperty(FOLDER);
    }
    try (URLClassLoader other = new URLClassLoader(classPath(), null)) {
      assertThat(ensure(other)).isNull();
    }
  }

  private static Object ensure(ClassLoader loader) throws Exception {
    Method ensure =
        loader.loadClass(Compression.class.getName()).getDeclaredMethod("ensure", String.class);
    ensure.setAccessible(true);
    try {
      return ensure.invoke(null, "orders");
    } catch (InvocationTargetException e) {
      throw (Exception) e.getCause();
    }
  }

  private static URL[] classPath() throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    return urls.toArray(URL[]::new);
  }
}
