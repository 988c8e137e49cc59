package com.wookler.river.spring;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.ProcessResult;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/** A method of a bean that is called with messages: which parameters it has, and its results. */
final class ListenerMethod {
  private final Object bean;
  private final Method method;
  private final boolean batch;
  private final List<ListenerParameter> parameters = new ArrayList<>();
  private @Nullable Class<?> type; // of the data; null: the parameters do not say

  /**
   * Checks a method.
   *
   * @param method that can be invoked on the bean, which may be a proxy
   * @param declared where its parameters are annotated
   * @throws ConfigurationException its parameters or its result cannot be those of a listener
   */
  ListenerMethod(Object bean, Method method, Method declared, boolean batch) {
    this.bean = bean;
    this.method = method;
    this.batch = batch;
    int payloads = 0;
    for (int i = 0; i < declared.getParameterCount(); i++) {
      ListenerParameter parameter =
          ListenerParameter.of(
              new MethodParameter(declared, i).withContainingClass(AopUtils.getTargetClass(bean)),
              batch,
              this::wrong);
      parameters.add(parameter);
      if (parameter.dataType() != null) {
        type = parameter.dataType();
      }
      payloads += parameter.isPayload() ? 1 : 0;
    }
    if (payloads > 1) {
      throw wrong("has several parameters without an annotation; one of them is the payload");
    }
    checkResult(ResolvableType.forMethodReturnType(declared));
    ReflectionUtils.makeAccessible(method);
  }

  private void checkResult(ResolvableType result) {
    Class<?> one = result.resolve(Object.class);
    boolean right =
        batch
            ? List.class == one && result.getGeneric().resolve(Object.class) == ProcessResult.class
            : one == ProcessResult.class;
    if (one != void.class && !right) {
      throw wrong(
          "returns %s; a listener returns nothing or %s"
              .formatted(result, batch ? "a list of ProcessResult" : "a ProcessResult"));
    }
  }

  private ConfigurationException wrong(String what) {
    return new ConfigurationException("@RiverListener on %s %s".formatted(name(), what));
  }

  String name() {
    return method.getDeclaringClass().getSimpleName() + "." + method.getName();
  }

  /** Returns the type of the data by the parameters; empty if they do not say. */
  Optional<Class<?>> type() {
    return Optional.ofNullable(type);
  }

  /**
   * Refuses data of another type than the method's.
   *
   * @throws ConfigurationException the method cannot be called with it
   */
  void check(String queue, @Nullable Class<?> dataType) {
    if (dataType != null && type != null && !type.isAssignableFrom(dataType)) {
      throw wrong(
          "takes %s, but queue '%s' has %s".formatted(type.getName(), queue, dataType.getName()));
    }
  }

  /** Calls it with one message. */
  <M> ProcessResult<M> call(Delivery<M> delivery) throws Exception {
    @Nullable Object[] arguments = new @Nullable Object[parameters.size()];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = parameters.get(i).value(delivery);
    }
    @SuppressWarnings("unchecked") // checked by the constructor
    ProcessResult<M> result = (ProcessResult<M>) invoke(arguments);
    return result == null ? ProcessResult.pass() : result;
  }

  /** Calls it with several messages: those that can be converted, if it takes what they are. */
  <M> List<ProcessResult<M>> call(List<Delivery<M>> deliveries) throws Exception {
    IdentityHashMap<Delivery<M>, ProcessResult<M>> failed = new IdentityHashMap<>();
    List<Delivery<M>> readable = new ArrayList<>(deliveries);
    if (parameters.stream().anyMatch(ListenerParameter::isPayload)) {
      readable.removeIf(each -> fails(each, failed));
    }
    List<ProcessResult<M>> results = readable.isEmpty() ? List.of() : callWith(readable);
    if (failed.isEmpty() || results.size() != readable.size()) {
      return results;
    }
    Iterator<ProcessResult<M>> next = results.iterator();
    List<ProcessResult<M>> all = new ArrayList<>();
    for (Delivery<M> each : deliveries) {
      ProcessResult<M> failure = failed.get(each);
      all.add(failure == null ? next.next() : failure);
    }
    return all;
  }

  private static <M> boolean fails(
      Delivery<M> delivery, IdentityHashMap<Delivery<M>, ProcessResult<M>> failed) {
    try {
      Object unused = delivery.data();
      return false;
    } catch (RuntimeException e) { // of the converter: it concerns this message only
      failed.put(delivery, ProcessResult.failed(e));
      return true;
    }
  }

  private <M> List<ProcessResult<M>> callWith(List<Delivery<M>> deliveries) throws Exception {
    @Nullable Object[] arguments = new @Nullable Object[parameters.size()];
    for (int i = 0; i < arguments.length; i++) {
      arguments[i] = parameters.get(i).values(deliveries);
    }
    @SuppressWarnings("unchecked") // checked by the constructor
    List<ProcessResult<M>> results = (List<ProcessResult<M>>) invoke(arguments);
    return results != null ? results : deliveries.stream().map(ListenerMethod::passed).toList();
  }

  private static <M> ProcessResult<M> passed(Delivery<M> delivery) {
    return ProcessResult.pass();
  }

  private @Nullable Object invoke(@Nullable Object[] arguments) throws Exception {
    try {
      return method.invoke(bean, arguments);
    } catch (InvocationTargetException e) {
      Throwable thrown = e.getCause() == null ? e : e.getCause();
      if (thrown instanceof Error error) {
        throw error;
      }
      throw (Exception) thrown;
    } catch (IllegalArgumentException e) {
      throw new RiverException(
          name()
              + " cannot be called with what the queue's converter makes; name the type in the"
              + " parameters as in the queue's configuration",
          e);
    }
  }
}
