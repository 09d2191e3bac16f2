import type { Tenancy } from '../../../events/envelope.js'
import { ruleName, scopeText, type Rule, type RuleWarning, type ScopeName, type RuleError } from './model.js'
import type { Steps } from '../../steps.js'
import { examineInSteps } from './examine-rules.js'

interface Notice {
  readonly Message: string
  readonly Line: number
  readonly Column: number
}

interface ValidRule {
  /** As in the policy: `key_prefix "app/"`. */
  readonly Text: string
  readonly Level: string
  /** Only of services that set it explicitly. */
  readonly Intentions?: string
  /** The namespaces and partitions of the enclosing block: a name, or a prefix followed by `*`. */
  readonly Namespace?: string
  readonly Partition?: string
  readonly Line: number
  readonly Column: number
}

interface Validation {
  readonly Valid: boolean
  /** The valid rules, also if there are errors. */
  readonly Rules: readonly ValidRule[]
  readonly Errors: readonly Notice[]
  /** Parts that are stored but have no effect. */
  readonly Warnings: readonly Notice[]
}

const understood = (rule: Rule, partition: ScopeName | null, namespace: ScopeName | null): ValidRule => ({
  Text: ruleName(rule),
  Level: rule.level,
  ...(rule.intentions === null ? {} : { Intentions: rule.intentions }),
  ...(namespace === null ? {} : { Namespace: scopeText(namespace) }),
  ...(partition === null ? {} : { Partition: scopeText(partition) }),
  Line: rule.line,
  Column: rule.column
})

const noticed = ({ message, line, column }: RuleWarning | RuleError): Notice => ({
  Message: message,
  Line: line,
  Column: column
})

/** Validates a text for a policy of the tenancy `home`, as its creation would, and reports every error. Linear in the text. */
export function* validateRules(text: string, home: Tenancy): Steps<Validation> {
  const { rules: found, errors } = yield* examineInSteps(text, home)
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
