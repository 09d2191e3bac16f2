// The newest signed checkpoint of the log: what it says, with which key, and who has witnessed it.
import { useMemo } from 'preact/hooks'
import { failureOf } from '../../session/failure.js'
import { useText, type Asked } from '../../session/use-answer.js'
import { Facts } from './facts.js'
import { checkpointIn, type CheckpointNote } from './note.js'
import { usePagePulse } from './pulse.js'
import { Section } from './section.js'
import { countText } from './words.js'

const read = (text: string): Asked<CheckpointNote> => {
  try {
    return { value: checkpointIn(text) }
  } catch (error) {
    return { failure: failureOf(error) }
  }
}

export const Checkpoint = () => {
  const { turn } = usePagePulse()
  const { value, failure } = useText('/v1/event/checkpoint', {}, turn)
  const key = useText('/v1/event/checkpoint/key', {}, 0)
  const { value: note, failure: fault } = useMemo(() => (value === undefined ? {} : read(value)), [value])
  const witnesses = note?.signers.filter(name => name !== note.origin)
  return (
    <Section title="Checkpoint" failure={failure ?? fault}>
      {note && (
        <>
          <Facts
            facts={[
              ['Commits', countText(note.size)],
              ['Root hash', <code key="root">{note.root}</code>],
              ['Log', <code key="log">{note.origin}</code>],
              ['Key', key.value && <code>{key.value.trim()}</code>],
              ['Witnesses', witnesses?.join(', ') || 'none']
            ]}
          />
          <details>
            <summary>The signed note</summary>
            <pre class="payload" tabIndex={0} aria-label="The signed note">
              {value}
            </pre>
          </details>
        </>
      )}
    </Section>
  )
}
