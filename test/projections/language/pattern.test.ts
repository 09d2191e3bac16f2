import test from 'ava'
import {
  compilePattern,
  expandedSize,
  MAX_PATTERN_SIZE,
  PatternError
} from '../../../projections/language/pattern.js'
import { leastCpu } from '../../support/cpu-time.js'

test('a pattern is as large as what its repetitions stand for', t => {
  const sizes: Readonly<Record<string, number>> = {
    '': 0,
    abc: 3,
    'a{3}': 3,
    'a{2,5}b': 6,
    'a{7,}': 7,
    'a{0}': 1,
    '[a-z]{10}': 10,
    '[]{9}]{2}': 2,
    '[[:alpha:]{9}]': 1,
    '\\p{Greek}{4}': 4,
    '\\x{10FFFF}': 1,
    '\\{9}': 3,
    '(ab){4}': 12,
    '((a{10}){10}){10}': 1110,
    'a{': 2,
    '{5}': 0,
    'a{x}': 4,
    '((((': 4,
    'a[': 1,
    '\\': 1
  }
  for (const [pattern, size] of Object.entries(sizes)) t.is(expandedSize(pattern), size, pattern)
})

test('a short pattern that stands for a large one is refused before it is compiled', t => {
  const large = [
    'a{1000}'.repeat(1000),
    '((a{10}){10}){100}',
    `(${'a'.repeat(5000)})`,
    'a'.repeat(1_000_000),
    `${'['.repeat(8000)}a{1000}`,
    '[a-z]{1000}'.repeat(5)
  ]
  for (const pattern of large) {
    const refuse = (): void => {
      t.throws(() => compilePattern(pattern), { instanceOf: PatternError })
    }
    const ms = leastCpu(refuse, 10)
    t.true(ms < 10, `${pattern.slice(0, 20)}: ${ms} ms`)
  }
  t.true(compilePattern(`^[a-z]{1000}-\\d+$`).test(`${'x'.repeat(1000)}-17`))
  t.is(MAX_PATTERN_SIZE, 4096)
})

test('what RE2 does not take is a fault of the pattern', t => {
  for (const pattern of ['(?=a)', '(a)\\1', '[', '(', 'a{1001}', '\\'])
    t.throws(() => compilePattern(pattern), { instanceOf: PatternError }, pattern)
})
