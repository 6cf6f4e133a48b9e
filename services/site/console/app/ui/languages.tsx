import { chooseLanguage, otherLanguages } from '../texts.ts'
import { Icon } from './icon.tsx'

/** Leads to the page in each other language, whose name is in that language. */
export const Languages = () => (
  <>
    {otherLanguages.map(({ code, name }) => (
      <button key={code} type="button" class="link" lang={code} onClick={() => chooseLanguage(code)}>
        <Icon name="languages" size={16} />
        {name}
      </button>
    ))}
  </>
)
