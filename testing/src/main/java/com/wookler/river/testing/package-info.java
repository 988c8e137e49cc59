/** What the tests of all modules share. May use Awaitility and JUnit's launcher, nothing else. */
@org.jspecify.annotations.NullMarked
package com.wookler.river.testing;
