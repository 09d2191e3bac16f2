// A status line that screen readers read: announce('Saved.'). It stays until the next message or page. Failures are
// shown next to their cause, by Refusal.
import { signal } from '@preact/signals'

const message = signal('')

/** An empty text clears the line. */
export const announce = (text: string): void => {
  message.value = text
}

/** Is rendered once, in the layout. */
export const StatusAnnouncer = () => (
  <div class="said" role="status">
    {message.value !== '' && (
      <p>
        {message.value}
        <button type="button" class="plain" onClick={() => announce('')}>
          Dismiss
        </button>
      </p>
    )}
  </div>
)
