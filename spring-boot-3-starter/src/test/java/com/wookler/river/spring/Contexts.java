package com.wookler.river.spring;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Contexts with what the starter on the class path configures. */
final class Contexts {
  private Contexts() {}

  static ApplicationContextRunner runner(Path directory, Class<?>... configurations) {
    return new ApplicationContextRunner()
        .withConfiguration(AutoConfigurations.of(ofStarter()))
        .withUserConfiguration(configurations)
        .withPropertyValues("river.directory=" + directory);
  }

  /** As the starter's file lists them. */
  private static Class<?>[] ofStarter() {
    List<Class<?>> all = new ArrayList<>();
    for (String name :
        ImportCandidates.load(AutoConfiguration.class, Contexts.class.getClassLoader())) {
      if (name.startsWith("com.wookler.river.")) {
        try {
          all.add(Class.forName(name));
        } catch (ClassNotFoundException e) {
          throw new AssertionError(e);
        }
      }
    }
    return all.toArray(Class<?>[]::new);
  }
}
