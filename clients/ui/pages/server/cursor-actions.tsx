// What can be done with a cursor: have its reader begin elsewhere, send again, or end it.
import { useState } from 'preact/hooks'
import { ConfirmButton } from '../../components/confirm-button.js'
import { announce } from '../../components/status-announcer.js'
import { client } from '../../session/session.js'
import { deleteCursor, enableWebhook, moveCursor, type Cursor } from './cursor.js'

interface Props {
  readonly cursor: Cursor
  /** Is called when it is another one. */
  readonly done: () => void
}

const Move = ({ cursor, done }: Props) => {
  const { Name, Index, LastDeadLetter, URL } = cursor
  const first = LastDeadLetter ? LastDeadLetter.From - 1 : Index
  const [to, setTo] = useState(String(first))
  return (
    <ConfirmButton
      label={LastDeadLetter ? 'Send again' : 'Move'}
      isHarmless
      title={`Move the cursor ${Name}?`}
      deed={async reason => {
        await moveCursor(client.value.connection, cursor, Number(to), reason)
        announce(`${Name} was moved to ${to}.`)
        done()
      }}
    >
      <p>
        It stands at {Index}. {URL === undefined ? 'Its reader' : 'The receiver'} gets everything behind the
        index that you name, also what it has had.
        {LastDeadLetter && ` The commits ${LastDeadLetter.From} to ${LastDeadLetter.To} were given up last.`}
      </p>
      <label>
        Index
        <input
          type="number"
          min={0}
          step={1}
          required
          value={to}
          onInput={({ currentTarget }) => setTo(currentTarget.value)}
        />
      </label>
    </ConfirmButton>
  )
}

export const CursorActions = ({ cursor, done }: Props) => {
  const { Name, Disabled, URL } = cursor
  return (
    <span class="deeds">
      {Disabled !== undefined && (
        <ConfirmButton
          label="Enable"
          isHarmless
          title={`Have ${Name} send again?`}
          deed={async reason => {
            await enableWebhook(client.value.connection, cursor, reason)
            done()
          }}
        >
          It goes on behind {cursor.Index}, and belongs to this token then.
        </ConfirmButton>
      )}
      <Move cursor={cursor} done={done} />
      <ConfirmButton
        label="Delete"
        title={`Delete the cursor ${Name}?`}
        typed={Name}
        deed={async reason => {
          await deleteCursor(client.value.connection, cursor, reason)
          announce(`${Name} was deleted.`)
          done()
        }}
      >
        {URL === undefined
          ? 'Streams that read by it end, and what it held back of the log may go.'
          : 'Nothing more is sent to its receiver, and what it held back of the log may go.'}
      </ConfirmButton>
    </span>
  )
}
