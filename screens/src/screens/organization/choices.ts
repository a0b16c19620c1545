/** What can be chosen for an organization: codes, which the browser knows the names of. */
import { messages } from "../../messages/messages";
import type { Choice } from "../../parts/field";

/** Locales that are offered; one that is stored already stays on offer. */
export const LOCALES = (
  "af_ZA ar_AE ar_EG ar_MA ar_SA bg_BG bn_BD bn_IN ca_ES cs_CZ da_DK de_AT de_CH de_DE el_GR en_AU en_CA en_GB " +
  "en_IE en_IN en_NG en_NZ en_PH en_SG en_US en_ZA es_AR es_CL es_CO es_ES es_MX es_PE es_US et_EE eu_ES fa_IR " +
  "fi_FI fil_PH fr_BE fr_CA fr_CH fr_FR fr_MA gl_ES gu_IN he_IL hi_IN hr_HR hu_HU hy_AM id_ID is_IS it_CH it_IT " +
  "ja_JP ka_GE kk_KZ kn_IN ko_KR lt_LT lv_LV mk_MK ml_IN mr_IN ms_MY nb_NO nl_BE nl_NL pa_IN pl_PL pt_BR pt_PT " +
  "ro_RO ru_RU sk_SK sl_SI sq_AL sr_RS sv_FI sv_SE sw_KE ta_IN te_IN th_TH tr_TR uk_UA ur_PK uz_UZ vi_VN zh_CN " +
  "zh_HK zh_SG zh_TW"
).split(" ");

/** As the service knows them; a test compares. */
export const COUNTRIES = (
  "AC AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BW BY BZ CA " +
  "CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR " +
  "GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GT GU GW GY HK HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP " +
  "KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR " +
  "MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PR PS PT PW PY QA RE RO " +
  "RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TA TC TD TG TH TJ TK TL TM TN TO TR TT " +
  "TV TW TZ UA UG US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW"
).split(" ");

/** As the service knows them; a test compares. */
export const CURRENCIES = (
  "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF " +
  "CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD " +
  "HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD " +
  "MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN " +
  "PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY " +
  "TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG"
).split(" ");

/** Time zones of this browser, and UTC. */
export const timeZones = (): string[] => ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

type Kind = "region" | "currency" | "language";

/** *codes* and the *chosen* one as choices, called by the names that the browser has for them, in their order. */
export function choicesOf(codes: readonly string[], chosen: string, kind: Kind): Choice<string>[] {
  const names = new Intl.DisplayNames(messages.language, { type: kind, languageDisplay: "standard" });
  const all = codes.includes(chosen) ? codes : [chosen, ...codes];
  return all
    .map((code) => ({ value: code, label: nameOf(names, code, kind) }))
    .sort((a, b) => a.label.localeCompare(b.label, messages.language));
}

function nameOf(names: Intl.DisplayNames, code: string, kind: Kind): string {
  try {
    const name = names.of(code.replace("_", "-")) ?? code;
    return kind === "currency" ? `${code} · ${name}` : name;
  } catch {
    return code; // Stored before, in a shape that this browser does not know.
  }
}

export function zoneChoices(chosen: string): Choice<string>[] {
  const zones = timeZones();
  const all = zones.includes(chosen) ? zones : [chosen, ...zones];
  return all.map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") }));
}
