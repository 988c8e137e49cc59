package com.wookler.river.spring.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;
import org.springframework.util.FileSystemUtils;

/**
 * Gives a context a directory of its own, and leaves what is no listener out of its scan.
 *
 * @param listeners the only ones, or none for all; contexts of the same may be the same
 */
record SliceCustomizer(Set<Class<?>> listeners) implements ContextCustomizer {
  private static final String DIRECTORY = "riverTestDirectory";
  private static final String FILTER = "riverTestFilter";

  @Override
  public void customizeContext(
      ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
    Path directory = create();
    TestPropertyValues.of("river.directory=" + directory).applyTo(context);
    DefaultListableBeanFactory beans = (DefaultListableBeanFactory) context.getBeanFactory();
    // The first one that is registered is destroyed last: after the queues.
    beans.registerDisposableBean(DIRECTORY, () -> FileSystemUtils.deleteRecursively(directory));
    beans.registerSingleton(FILTER, new SliceFilter(listeners));
  }

  private static Path create() {
    try {
      return Files.createTempDirectory("river-spring-test");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a directory for a test's queues", e);
    }
  }
}
