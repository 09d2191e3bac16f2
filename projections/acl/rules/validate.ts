// A dry check of a rule text: what it means, what is wrong with it, and what of it has no effect.
import type { Tenancy } from '../../../events/envelope.js'
import { ruleName, type Rule, type RuleWarning, type ScopeName } from './model.js'
import { examineRules } from './parse.js'
import type { RuleError } from './rule-error.js'

/** Something about a text, at a place counted from 1. */
interface Notice {
  readonly Message: string
  readonly Line: number
  readonly Column: number
}

/** A rule as it was understood. */
interface ValidRule {
  /** As its author names it: `key_prefix "app/"`. */
  readonly Text: string
  readonly Level: string
  /** Only of services that say it. */
  readonly Intentions?: string
  /** The namespaces and partitions of the block that it stands in: a name, or a beginning with `*` behind it. */
  readonly Namespace?: string
  readonly Partition?: string
  readonly Line: number
  readonly Column: number
}

interface Validation {
  readonly Valid: boolean
  /** Those that could be understood, also where others could not. */
  readonly Rules: readonly ValidRule[]
  /** Every fault, in the order of the text. */
  readonly Errors: readonly Notice[]
  /** Words that are stored as they are but have no effect. */
  readonly Warnings: readonly Notice[]
}

const named = ({ match, label }: ScopeName): string => (match === 'prefix' ? `${label}*` : label)

const understood = (rule: Rule, partition: ScopeName | null, namespace: ScopeName | null): ValidRule => ({
  Text: ruleName(rule),
  Level: rule.level,
  ...(rule.intentions === null ? {} : { Intentions: rule.intentions }),
  ...(namespace === null ? {} : { Namespace: named(namespace) }),
  ...(partition === null ? {} : { Partition: named(partition) }),
  Line: rule.line,
  Column: rule.column
})

const noticed = ({ message, line, column }: RuleWarning | RuleError): Notice => ({
  Message: message,
  Line: line,
  Column: column
})

/**
 * Checks a text for a policy that lives in `home`, as its creation would, and tells everything that is wrong with it.
 * Linear in the text.
 */
export const validateRules = (text: string, home: Tenancy): Validation => {
  const { rules: found, errors } = examineRules(text, home)
  const { rules, blocks, warnings } = found
  return {
    Valid: errors.length === 0,
    Rules: [
      ...rules.map(rule => understood(rule, null, null)),
      ...blocks.flatMap(block => block.rules.map(rule => understood(rule, block.partition, block.namespace)))
    ],
    Errors: errors.map(noticed),
    Warnings: warnings.map(noticed)
  }
}
