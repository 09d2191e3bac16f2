// What a token may do, with where each right comes from, and whether it may do something in particular.
import { useState } from 'preact/hooks'
import { Refusal } from '../../components/notice.js'
import { client } from '../../session/session.js'
import { useResponse } from '../../session/use-response.js'
import { useAction } from '../../session/use-action.js'
import type { PanelProps } from '../resource/panel-props.js'
import { Explanation, sourceText, type Explained, type Source } from './explanation.js'

interface Rule {
  readonly Text: string
  readonly Level: string
  readonly Intentions?: string
  readonly Namespace?: string
  readonly Partition?: string
  readonly Line?: number
  readonly Source?: Source
  /** Counts only for what no other rule of the token is about. */
  readonly IsDefault?: boolean
}

/** The answer of `GET /v1/acl/token/:accessor/rights`. */
interface Rights {
  readonly DefaultPolicy: string
  readonly Rules: readonly Rule[]
}

const RESOURCES = [
  'key',
  'service',
  'node',
  'session',
  'query',
  'event',
  'agent',
  'acl',
  'operator',
  'mesh',
  'keyring'
]

const Attempt = ({ accessor }: { readonly accessor: string }) => {
  const [explained, setExplained] = useState<Explained>()
  const { failure, run } = useAction()
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const given = Object.fromEntries(new FormData(event.currentTarget))
    run(async () => {
      const body = { AccessorID: accessor, ...given }
      const answer = await client.value.connection.request('POST', '/v1/acl/explain', { body })
      setExplained(await answer.json<Explained>())
    })
  }
  return (
    <>
      <h3>May it …?</h3>
      <form onSubmit={submit} class="choices">
        <select name="Access" aria-label="Access">
          {['read', 'list', 'write'].map(access => (
            <option key={access}>{access}</option>
          ))}
        </select>
        <select name="Resource" aria-label="Resource">
          {RESOURCES.map(resource => (
            <option key={resource}>{resource}</option>
          ))}
        </select>
        <input name="Segment" aria-label="Name" placeholder="Name" />
        <button type="submit">Try</button>
      </form>
      <Refusal text={failure} />
      {explained && <Explanation explained={explained} />}
    </>
  )
}

/** Whether a rule, or where it is from, has a text. */
const matches = ({ Text, Level, Namespace = '', Source: source }: Rule, wanted: string): boolean =>
  [Text, Level, Namespace, source ? sourceText(source) : '']
    .join(' ')
    .toLowerCase()
    .includes(wanted.trim().toLowerCase())

export const PermissionsPanel = ({ named, turn }: PanelProps) => {
  const accessor = String(named['key'])
  const { ns, partition } = named
  const { value, failure } = useResponse<Rights>(
    `/v1/acl/token/${encodeURIComponent(accessor)}/rights`,
    { ns, partition },
    turn
  )
  const [wanted, setWanted] = useState('')
  const rules = (value?.Rules ?? []).filter(rule => matches(rule, wanted))
  return (
    <section aria-label="Rights">
      <h2>Rights</h2>
      <Refusal text={failure} />
      {value && (
        <>
          <p class="choices">
            <input
              type="search"
              aria-label="Search in the rights"
              placeholder="Such as key, write or a policy"
              onInput={({ currentTarget }) => setWanted(currentTarget.value)}
            />
            <span role="status">
              {rules.length} of {value.Rules.length} rules
            </span>
          </p>
          <table>
            <thead>
              <tr>
                <th>Rule</th>
                <th>Level</th>
                <th>Namespace</th>
                <th>From</th>
              </tr>
            </thead>
            <tbody>
              {rules.map(
                ({ Text, Level, Intentions, Namespace, Partition, Line, Source: source, IsDefault }, at) => (
                  <tr key={at}>
                    <td>
                      <code>{Text}</code>
                    </td>
                    <td>
                      {Level}
                      {Intentions && `, intentions ${Intentions}`}
                    </td>
                    <td>{[Partition === 'default' ? '' : Partition, Namespace].filter(Boolean).join('/')}</td>
                    <td>
                      {source?.Kind === 'policy' && source.ID ? (
                        <a href={`/ui/policies/one?${new URLSearchParams({ key: source.ID })}`}>
                          {sourceText(source)}
                        </a>
                      ) : (
                        source && sourceText(source)
                      )}
                      {Line !== undefined && `, line ${Line}`}
                      {IsDefault && ', a default of the namespace'}
                    </td>
                  </tr>
                )
              )}
            </tbody>
          </table>
          <p class="index">What no rule is about: {value.DefaultPolicy}.</p>
          <Attempt accessor={accessor} />
        </>
      )}
    </section>
  )
}
