import test from 'ava'
import {
  compilePattern,
  expandedSize,
  MAX_GROUPS,
  MAX_MATCH_WORK,
  MAX_PATTERN_SIZE,
  PatternAllowance,
  PatternError
} from '../../../projections/language/pattern.js'
import { costRatio } from '../../support/cost.js'

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
    '\\p{Greek}{4}': 256,
    '[\\pL\\PN]a': 129,
    '.': 1,
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
  const compileLargest = (): void => void compilePattern('a'.repeat(MAX_PATTERN_SIZE))
  for (const pattern of large) {
    const refuse = (): void => {
      t.throws(() => compilePattern(pattern), { instanceOf: PatternError })
    }
    const ratio = costRatio(refuse, compileLargest, 4)
    t.true(ratio <= 4, `${pattern.slice(0, 20)}: ${ratio} times what compiling the largest costs`)
  }
  t.true(compilePattern(`^[a-z]{50}-\\d+$`).isIn(`${'x'.repeat(50)}-17`))
  t.is(MAX_PATTERN_SIZE, 1024)
})

test('a pattern with many groups is refused', t => {
  const pattern = (groups: number): string => '(a)'.repeat(groups)
  t.notThrows(() => compilePattern(pattern(MAX_GROUPS)))
  t.throws(() => compilePattern(pattern(MAX_GROUPS + 1)), { instanceOf: PatternError, message: /65 groups/ })
})

test('a match is refused, before it begins, that would take more steps than an evaluation may', t => {
  // The instructions of `.` thirty times, and those that begin and end every program.
  const size = 32
  const longest = Math.floor(MAX_MATCH_WORK / size) - 1
  const allowance = new PatternAllowance()
  const pattern = allowance.compile('.'.repeat(30))
  t.true(pattern.isIn('a'.repeat(longest)))
  allowance.begin()
  const message = new RegExp(
    `\\(${size} instructions\\).*${longest + 1} characters: at most ${MAX_MATCH_WORK} steps`
  )
  t.throws(() => pattern.isIn('a'.repeat(longest + 1)), { instanceOf: PatternError, message })
  allowance.begin()
  t.is(pattern.groupsIn('a'.repeat(longest)).length, 1)
  t.throws(() => pattern.groupsIn('b'), { instanceOf: PatternError }, 'all matches of one evaluation count')
})

test('all patterns of one expression count together', t => {
  const allowance = new PatternAllowance()
  allowance.compile(`a{${MAX_PATTERN_SIZE - 24}}`)
  t.throws(() => allowance.compile('b{25}'), { instanceOf: PatternError, message: /together/ })
  t.notThrows(() => allowance.compile('b{24}'))
})

test('what RE2 does not take is a fault of the pattern', t => {
  for (const pattern of ['(?=a)', '(a)\\1', '[', '(', 'a{1001}', '\\'])
    t.throws(() => compilePattern(pattern), { instanceOf: PatternError }, pattern)
})
