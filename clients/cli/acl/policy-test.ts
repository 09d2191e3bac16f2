// `annals policy test`: decides questions by the rules of a file, without a server.
import { dirname, resolve } from 'node:path'
import { messageOf } from '../../../events/errors.js'
import { decisionsOf, ruleWarnings } from '../../../projections/acl/rule-decisions.js'
import { UsageError, type Console, Failed } from '../console.js'
import { remoteCommand } from '../remote/command.js'
import { contentOf, DEFINITION, definitionIn, definitionTextIn, type Definition } from '../remote/content.js'
import { required } from '../remote/flags.js'
import { table, safe } from '../remote/output.js'

const textIn = (definition: Definition, name: string): string | undefined => {
  const value = definitionTextIn(definition, name)
  if (value !== undefined && typeof value !== 'string') throw new UsageError(`"${name}" must be a text`)
  return value
}

const questionsIn = (definition: Definition, name: string): readonly string[] => {
  const value: unknown = definitionTextIn(definition, name) ?? []
  if (!Array.isArray(value) || !value.every(one => typeof one === 'string'))
    throw new UsageError(`"${name}" must be a list of questions such as "key:write web/port"`)
  return value
}

const rulesIn = async (definition: Definition, file: string, console: Console): Promise<string> => {
  const [rules, rulesFile] = [textIn(definition, 'rules'), textIn(definition, 'rules_file')]
  if ((rules === undefined) === (rulesFile === undefined))
    throw new UsageError('the file must have either "rules" or "rules_file"')
  if (rulesFile === undefined) return rules ?? ''
  const path = resolve(file === '-' ? '.' : dirname(file), rulesFile)
  return (await contentOf(`@${path}`, console)).toString()
}

/** @param text `RESOURCE:ACCESS` and, for resources with names, a blank and the name */
const elementOf = (text: string) => {
  const [, Resource = '', Access = '', Segment = ''] = /^([a-z]+):([a-z-]+)(?: ([^]*))?$/.exec(text) ?? []
  return { Resource, Access, Segment }
}

/** @throws UsageError, Failed for invalid rules */
const resultsOf = (definition: Definition, rules: string) => {
  const { error, decide } = decisionsOf(rules, {
    namespace: textIn(definition, 'namespace'),
    defaultPolicy: textIn(definition, 'default_policy') === 'allow' ? 'allow' : 'deny'
  })
  if (error !== undefined) throw new Failed(`the rules are invalid: ${error}`)
  const resultOf = (Question: string, Expected: 'allow' | 'deny') => {
    try {
      const { isAllowed, by: By } = decide(elementOf(Question))
      const Decision = isAllowed ? 'allow' : 'deny'
      return { Result: Decision === Expected ? 'ok' : 'failed', Question, Expected, Decision, By }
    } catch (refusal) {
      throw new UsageError(`"${Question}" is no question such as "key:write web/port": ${messageOf(refusal)}`)
    }
  }
  return [
    ...questionsIn(definition, 'allow').map(question => resultOf(question, 'allow')),
    ...questionsIn(definition, 'deny').map(question => resultOf(question, 'deny'))
  ]
}

export const policyTest = remoteCommand({
  summary: 'Test rules against questions, without a server.',
  about:
    'The file has the rules, as `rules` or in `rules_file`, and the lists `allow` and `deny` of questions. A question is a resource, an\naccess and a name, as in "key:write web/port". `namespace` and `default_policy` are optional. The exit code is 1 if a decision differs.',
  examples: [
    'annals policy test web.test.hcl',
    `echo 'rules = "key_prefix \\"web/\\" { policy = \\"read\\" }", allow = ["key:read web/port"], deny = ["key:write web/port"]' | annals policy test -`
  ],
  args: { file: required(DEFINITION) },
  isLocal: true,
  run: async ({ out, args: { file }, console }) => {
    const definition = await definitionIn(file, console)
    const rules = await rulesIn(definition, file, console)
    warnOfRules(console, rules)
    const results = resultsOf(definition, rules)
    if (results.length === 0) throw new UsageError('the file has no questions: "allow" and "deny" are empty')
    out.show(results, all => table(['Result', 'Question', 'Expected', 'Decision', 'By'], all))
    const failed = results.filter(({ Result }) => Result === 'failed').length
    if (failed > 0) throw new Failed(`${failed} of ${results.length} decisions differ`)
    out.note(`All ${results.length} decisions are as expected`)
  }
})

interface Notice {
  readonly Message: string
  readonly Line: number
  readonly Column: number
}

export const noticeText = (kind: string, { Message, Line, Column }: Notice): string =>
  `${kind} at ${Line}:${Column}: ${safe(Message)}`

/** Warns of rules that are stored but have no effect, such as misspelt ones. Errors are left to the server. */
export const warnOfRules = ({ err }: Pick<Console, 'err'>, rules: unknown): void => {
  if (typeof rules !== 'string' || rules === '') return
  for (const { message, line, column } of ruleWarnings(rules))
    err.write(`${noticeText('Warning', { Message: message, Line: line, Column: column })}\n`)
}
