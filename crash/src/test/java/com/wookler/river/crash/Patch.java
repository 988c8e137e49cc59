package com.wookler.river.crash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Changed classes of River, made from its sources, to stand before the others in the class path of
 * a process. So production code needs no switch to be observed, or to be made wrong.
 */
final class Patch {
  private static final List<String> MODULES = List.of("common", "ack", "core");
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final Path classes;
  private final Path sources;
  private final List<Path> changed = new ArrayList<>();

  Patch(Path directory) throws IOException {
    this.classes = Files.createDirectories(directory.resolve("patch-" + NUMBER.incrementAndGet()));
    this.sources = Files.createDirectories(classes.resolve("sources"));
  }

  /**
   * One change in the source of a class.
   *
   * @param times how often it is there
   */
  record Change(String what, String by, int times) {
    /** Of what is there once. */
    Change(String what, String by) {
      this(what, by, 1);
    }

    private String applyTo(String source, String file) {
      int found = 0;
      for (int at = source.indexOf(what); at >= 0; at = source.indexOf(what, at + 1)) {
        found++;
      }
      if (found != times) {
        throw new AssertionError(
            file + " has this " + found + " times, so the test must follow it:\n" + what);
      }
      return source.replace(what, by);
    }
  }

  /** Puts these changes into a class, named by its file. */
  Patch change(String file, Change... changes) throws IOException {
    String source = Files.readString(source(file));
    for (Change change : changes) {
      source = change.applyTo(source, file);
    }
    Path target = sources.resolve(file);
    Files.createDirectories(target.getParent());
    Files.writeString(target, source);
    changed.add(target);
    return this;
  }

  /** The file of a class, in the module that has it. */
  private static Path source(String file) {
    return MODULES.stream()
        .map(module -> Path.of("..", module, "src", "main", "java").resolve(file))
        .filter(Files::exists)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no module of " + MODULES + " has " + file));
  }

  /** Compiles them; the directory of the classes. */
  Path compile() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(found, Locale.ROOT, null)) {
      List<String> options =
          List.of(
              "-proc:none",
              "-nowarn",
              "-d",
              classes.toString(),
              "-cp",
              System.getProperty("java.class.path"));
      boolean done =
          compiler
              .getTask(
                  null, files, found, options, null, files.getJavaFileObjectsFromPaths(changed))
              .call();
      if (!done) {
        throw new AssertionError("a changed class is not right: " + found.getDiagnostics());
      }
    }
    return classes;
  }
}
