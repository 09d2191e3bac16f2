// Explains a 403: which rule decided, where it is from, and what would have to be allowed.
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading } from '../../components/heading.js'
import { Refusal } from '../../components/notice.js'
import { client } from '../../session/session.js'
import { useAction } from '../../session/use-action.js'
import { Explanation, type Explained } from './explanation.js'

export const ExplainPage = () => {
  const given = useLocation().query['denial']
  const [denial, setDenial] = useState(given ?? '')
  const [explained, setExplained] = useState<Explained>()
  const { failure, run } = useAction()
  const explain = (): void => {
    setExplained(undefined)
    run(async () => {
      const body = { Denial: denial.trim() }
      const answer = await client.value.connection.request('POST', '/v1/acl/explain', { body })
      setExplained(await answer.json<Explained>())
    })
  }
  // Another page leads here by what it was refused.
  useEffect(() => {
    if (given) explain()
  }, [])
  return (
    <main class="resource">
      <Heading>Explain a denial</Heading>
      <form
        onSubmit={event => {
          event.preventDefault()
          explain()
        }}
        class="enter wide-form"
      >
        <label>
          Text of a 403
          <textarea
            rows={4}
            required
            placeholder="Permission denied: token with AccessorID '…' lacks permission 'key:read' on …"
            value={denial}
            onInput={({ currentTarget }) => setDenial(currentTarget.value)}
          />
        </label>
        <p>
          <button type="submit">Explain</button>
        </p>
      </form>
      <Refusal text={failure} />
      {explained && <Explanation explained={explained} />}
    </main>
  )
}
