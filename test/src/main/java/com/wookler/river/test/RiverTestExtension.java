package com.wookler.river.test;

import com.wookler.river.core.message.MessageConverter;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.platform.commons.support.AnnotationSupport;

/** Gives each test its queues and its clock, and takes them away. See {@link RiverTest}. */
public final class RiverTestExtension
    implements BeforeEachCallback,
        AfterEachCallback,
        ParameterResolver,
        TestExecutionExceptionHandler {
  private static final Namespace NAMESPACE = Namespace.create(RiverTestExtension.class);
  private static final String DEFAULT_NAME = "test";

  @Override
  public void beforeEach(ExtensionContext context) {
    TestProcess process = process(context);
    faults(context).ifPresent(faults -> process.faults(source(faults)));
  }

  private static TestProcess process(ExtensionContext context) {
    if (context.getTestMethod().isEmpty()) {
      throw new ParameterResolutionException(
          "River's parameters are given to methods of a test, not to constructors or methods that"
              + " run once for all tests");
    }
    return context
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(TestProcess.class, key -> new TestProcess(null), TestProcess.class);
  }

  /** Returns the annotation of the method, its class, or the closest class around it. */
  private static Optional<Faults> faults(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(context.getElement(), Faults.class)
        .or(() -> context.getParent().flatMap(RiverTestExtension::faults)); // the class around
  }

  private static FaultSource source(Faults faults) {
    FaultSource source = new FaultSource(faults.seed(), null);
    source.set(Fault.THROW_BEFORE, faults.throwBefore());
    source.set(Fault.THROW_AFTER, faults.throwAfter());
    source.set(Fault.LOSE_ACK, faults.loseAck());
    source.set(Fault.TOO_LATE, faults.tooLate());
    source.set(Fault.KILL_AFTER, faults.kill());
    source.set(Fault.REORDER, faults.reorder());
    source.set(Fault.DISK_FULL, faults.diskFull());
    return source;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == TestQueue.class || type == TestClock.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    TestProcess process = process(context);
    return parameter.getParameter().getType() == TestClock.class
        ? process.clock()
        : queue(process, parameter);
  }

  private static TestQueue<?> queue(TestProcess process, ParameterContext parameter) {
    AnnotatedElement element = parameter.getParameter();
    Queue named = element.getAnnotation(Queue.class);
    if (named == null || named.settings() == DefaultSettings.class) {
      String name = named == null ? DEFAULT_NAME : named.value();
      return process.queue(name, converter(parameter), builder -> builder);
    }
    return queue(process, named.value(), settings(named.settings()));
  }

  private static <M> TestQueue<M> queue(
      TestProcess process, String name, QueueSettings<M> settings) {
    return process.queue(name, settings.converter(), settings::configure);
  }

  private static QueueSettings<?> settings(Class<? extends QueueSettings<?>> type) {
    try {
      Constructor<? extends QueueSettings<?>> constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      return constructor.newInstance();
    } catch (ReflectiveOperationException e) {
      throw new ParameterResolutionException(
          type.getName() + " needs a constructor without parameters, and its class not to be inner",
          e);
    }
  }

  /** Returns the converter of a parameter's type: texts, bytes, and JSON for everything else. */
  private static MessageConverter<?> converter(ParameterContext parameter) {
    Type type = parameter.getParameter().getParameterizedType();
    Type data =
        type instanceof ParameterizedType typed ? typed.getActualTypeArguments()[0] : Object.class;
    if (data == String.class) {
      return MessageConverter.utf8();
    }
    if (data == byte[].class) {
      return MessageConverter.bytes();
    }
    if (data instanceof Class<?> of && of != Object.class) {
      return MessageConverter.json(of);
    }
    throw new ParameterResolutionException(
        "a TestQueue of "
            + data.getTypeName()
            + " has no converter; name one with @Queue(settings = …)");
  }

  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable thrown)
      throws Throwable {
    @Nullable TestProcess process =
        context.getStore(NAMESPACE).get(TestProcess.class, TestProcess.class);
    if (process != null) {
      faults(context)
          .ifPresent(
              faults ->
                  thrown.addSuppressed(
                      new FaultTrace(
                          "with the faults of seed " + faults.seed() + ":\n" + process.trace())));
    }
    throw thrown;
  }

  @Override
  public void afterEach(ExtensionContext context) {
    TestProcess process = context.getStore(NAMESPACE).remove(TestProcess.class, TestProcess.class);
    if (process == null) {
      return;
    }
    process.close();
    Set<String> left = process.threadsLeft();
    if (!left.isEmpty()) {
      throw new AssertionError("threads of the test's queues are left: " + left);
    }
  }

  /** The trace of a failed test, which has no stack of its own. */
  private static final class FaultTrace extends RuntimeException {
    private static final long serialVersionUID = 1L;

    FaultTrace(String trace) {
      super(trace, null, false, false);
    }
  }
}
