// What was done, in a line that screen readers read out: say('Saved.'). It stays until something else is said, or
// another page is opened. What failed stands beside what failed, by Refusal.
import { signal } from '@preact/signals'

const said = signal('')

/** Tells everybody who looks. An empty text takes back what was said. */
export const announce = (text: string): void => {
  said.value = text
}

/** Where it is shown: once, in the frame. */
export const StatusAnnouncer = () => (
  <div class="said" role="status">
    {said.value !== '' && (
      <p>
        {said.value}
        <button type="button" class="plain" onClick={() => announce('')}>
          Dismiss
        </button>
      </p>
    )}
  </div>
)
