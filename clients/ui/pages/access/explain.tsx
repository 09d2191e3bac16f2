// Explains a 403: the rule that decided, its source, and the missing permission.
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Heading, Refusal } from '../../design/index.js'
import { useAction } from '../../session/use-action.js'
import { send } from '../send.js'
import { Explanation, type Explained } from './explanation.js'

export const ExplainPage = () => {
  const { denial: linked = '' } = useLocation().query
  const [denial, setDenial] = useState(linked)
  const [explained, setExplained] = useState<Explained>()
  const { failure, run } = useAction()
  const explain = (): void => {
    setExplained(undefined)
    run(async () => {
      const body = { Denial: denial.trim() }
      setExplained(await (await send('POST', '/v1/acl/explain', { body })).json<Explained>())
    })
  }
  useEffect(() => {
    if (linked !== '') explain()
  }, [])
  return (
    <main class="resource">
      <Heading>Explain a denial</Heading>
      <form
        onSubmit={event => {
          event.preventDefault()
          explain()
        }}
        class="fields wide-form"
      >
        <label>
          Error text (403)
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
