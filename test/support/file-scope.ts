// A scope that ends with a file of tests: for what several of its tests use one after another.
import type { TestFn } from 'ava'
import type { Scope } from './process.js'

/** @param what it holds, for the report of ava */
export const fileScope = (test: TestFn, what: string): Scope => {
  const releases: (() => void | Promise<void>)[] = []
  test.after.always(`${what} ends`, async () => {
    for (const release of releases) await release()
  })
  return { teardown: release => void releases.unshift(release) }
}
