/**
 * What the tests of all modules share. May use Awaitility, Logback and JUnit's launcher, nothing
 * else.
 */
@org.jspecify.annotations.NullMarked
package com.wookler.river.testing;
