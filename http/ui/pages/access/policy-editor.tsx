// The rules of a policy in an editor that tells faults as one types.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { CodeEditor, type Fault } from '../../parts/code-editor.js'
import { ReasonInput } from '../../parts/reason-input.js'
import { Refusal } from '../../parts/refusal.js'
import { reasonHeaders } from '../../session/reason.js'
import { client } from '../../session/session.js'
import { useDeed } from '../../session/use-deed.js'
import { fieldsOf } from '../../things/kind.js'
import type { PanelProps } from '../thing/panel.js'

interface Notice {
  readonly Message: string
  readonly Line?: number
  readonly Column?: number
}

/** The answer of `POST /v1/acl/policy/validate`. */
interface Validation {
  readonly Valid: boolean
  readonly Errors: readonly Notice[]
  readonly Warnings: readonly Notice[]
}

/** The server is asked when nothing was typed for so long, in ms. */
const PAUSE = 150

/** What the server says of some rules; undefined until it has. */
const useValidation = (rules: string): Validation | undefined => {
  const [validation, setValidation] = useState<Validation>()
  const asking = client.value
  useEffect(() => {
    const ended = new AbortController()
    const ask = async (): Promise<void> => {
      const sent = { body: { Rules: rules }, signal: ended.signal }
      const answer = await asking.connection.request('POST', '/v1/acl/policy/validate', sent)
      setValidation(await answer.json<Validation>())
    }
    // Who may not ask is told when it is saved.
    const timer = setTimeout(() => ask().catch(() => setValidation(undefined)), PAUSE)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [asking, rules])
  return validation
}

const faultsOf = ({ Errors, Warnings }: Validation): readonly Fault[] => {
  const faults = (severity: Fault['severity'], notices: readonly Notice[]) =>
    notices.map(({ Message, Line = 1, Column }) => ({
      line: Line,
      column: Column,
      severity,
      message: Message
    }))
  return [...faults('error', Errors), ...faults('warning', Warnings)]
}

export const PolicyEditor = ({ newest, named }: PanelProps) => {
  const { ID, Name, Description, Datacenters, Rules } = fieldsOf(newest.Payload ?? {})
  const saved = typeof Rules === 'string' ? Rules : ''
  const [rules, setRules] = useState(saved)
  const [reason, setReason] = useState('')
  const validation = useValidation(rules)
  const faults = useMemo(() => (validation ? faultsOf(validation) : []), [validation])
  const { failure, run } = useDeed()
  const save = (): void =>
    run(async () => {
      const { ns, partition } = named
      await client.value.connection.request('PUT', `/v1/acl/policy/${String(ID)}`, {
        query: { ns, partition },
        body: { Name, Description, Datacenters, Rules: rules },
        headers: reasonHeaders(reason)
      })
    })
  return (
    <section aria-label="Rules">
      <h2>Rules</h2>
      <CodeEditor
        value={rules}
        change={setRules}
        language="hcl"
        label="Rules of the policy"
        faults={faults}
      />
      {validation?.Valid && validation.Warnings.length === 0 && <p role="status">No faults</p>}
      <p class="choices">
        <ReasonInput value={reason} change={setReason} />
        <button type="button" disabled={rules === saved || validation?.Valid === false} onClick={save}>
          Save
        </button>
      </p>
      <Refusal text={failure} />
    </section>
  )
}
