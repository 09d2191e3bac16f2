// Which query answers to a name, and what becomes of it if it is a template.
import { useResponse } from '../../session/use-response.js'
import { SideBySide } from '../../components/side-by-side.js'
import { textOf, type Fields } from '../../resources/kind.js'
import { versionViewFor } from '../../resources/versions.js'
import { calledBy, isTemplate, queryAddress, queryPath } from './query.js'

export interface Explanation {
  /** With its service as it is looked for. */
  readonly Query: Fields
}

interface Props {
  /** What was asked for. */
  readonly name: string
  readonly explanation: Explanation
}

export const Explained = ({ name, explanation: { Query } }: Props) => {
  const id = textOf(Query['ID'])
  const isOfTemplate = isTemplate(Query)
  const { value } = useResponse<readonly Fields[]>(isOfTemplate ? queryPath(id) : undefined)
  const stored = value?.[0]
  return (
    <div role="group" aria-label="Explanation">
      <p>
        To {name} answers the {isOfTemplate ? 'template' : 'query'}{' '}
        <a href={queryAddress(id)}>{calledBy(Query)}</a>.
      </p>
      {isOfTemplate && stored ? (
        <SideBySide
          before={{ title: 'The template', text: versionViewFor(stored['Service']) }}
          after={{ title: 'What is looked for', text: versionViewFor(Query['Service']) }}
        />
      ) : (
        <pre class="payload" tabIndex={0}>
          {versionViewFor(Query['Service'])}
        </pre>
      )}
    </div>
  )
}
