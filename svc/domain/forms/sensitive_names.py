"""Names of fields that hold passwords, one-time codes, card details, identity numbers and other secrets.

One name a line or between commas, as people write it: case, accents and separators do not
matter, and small words such as `of` and `de` may be missing. `sensitive` says how they are
matched. The languages: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish,
Czech, Hungarian, Romanian, Swedish, Danish, Norwegian, Finnish, Russian, Ukrainian, Turkish,
Greek, Arabic, Japanese, Chinese and Korean.
"""

from typing import Final

STEMS: Final = """
password, passwd, passcode, passphrase, creditcard, debitcard
passwort, kennwort, kreditkarte
motdepasse, contrasena, wachtwoord, jelszo
lösenord, adgangskode, passord, salasana, kreditkort, kredittkort, luottokort
парол
συνθηματικ
"""
"""Sensitive wherever they stand, even inside a longer word (`userpassword`)."""

NAMES: Final = """
pwd, pswd, passwrd, pword, pass word, pass wd, pass code, pass phrase
otp, totp, hotp, 2 fa, mfa code, mfa token, two factor, 2 factor, two step code, 2 step code
one time code, one time pin, one time pass, verification code, verify code, verif code, vcode
auth code, authentication code, authenticator code, sms code, code sms, login code, sign in code
security code, secure code, backup code, recovery code, security answer, secret answer, secret word
pin code, pin number, pin no, card pin, atm pin, sms pin, security pin, upi pin, m pin, t pin
cvv, cvc, cvn, ccv, csc code, cid code, ccnumber, ccnum, cc number, cc num, cc no, cc nr, cc csc, cc cid
cc exp, cc expiry, cc expiration, cc month, cc year, cc name, cc holder, cc type, cc given name
cc additional name, cc family name, name on card, primary account number, valid thru, good thru
mm yy, mm yyyy

kenn wort, bestätigungscode, bestaetigungscode, verifizierungscode, sicherheitscode, sicherheitsnummer
einmalcode, einmalkennwort, freigabecode, geheimzahl, prüfcode, kartenprüfnummer, kartenpruefnummer
kartenprüfziffer, sms tan, m tan, i tan, push tan, photo tan, chip tan, tan nummer, tan code, karteninhaber

mot de passe, mdp, code secret, code confidentiel, code de vérification, code de validation
code de sécurité, code à usage unique, code pin, cryptogramme, carte bleue, titulaire de la carte
clave de acceso, clave secreta, clave personal, código de verificación, código de seguridad
código de un solo uso, código sms, código otp, código pin, titular de la tarjeta
parola d'ordine, codice di verifica, codice di sicurezza, codice segreto, codice pin, codice sms
codice usa e getta, intestatario carta, titolare carta
senha, palavra passe, contra senha, código de verificação, código de segurança, titular do cartão
nome no cartão
verificatiecode, bevestigingscode, beveiligingscode, eenmalige code, kaarthouder

hasło, kod weryfikacyjny, kod sms, kod jednorazowy, kod bezpieczeństwa, kod pin, posiadacz karty
heslo, ověřovací kód, bezpečnostní kód, jednorázový kód, potvrzovací kód, držitel karty
ellenőrző kód, biztonsági kód, megerősítő kód, egyszeri kód, kártyabirtokos
parola nouă, parola cont, cod de verificare, cod de securitate, cod de confirmare, cod sms, cod pin
titular card

verifieringskod, engångskod, säkerhetskod, pinkod, kortinnehavare
kodeord, engangskode, bekræftelseskode, verifikationskode, sikkerhedskode, kontrolcifre, kortholder
bekreftelseskode, verifiseringskode, sikkerhetskode, kortinnehaver, pinkode
vahvistuskoodi, kertakäyttökoodi, turvakoodi, turvaluku, tunnusluku, pin koodi

код подтверждения, код проверки, код верификации, код из смс, код из sms, смс код, одноразовый код
пин код, код безопасности, владелец карты, держатель карты, имя на карте, parol
код підтвердження, код перевірки, одноразовий код, пін код, код безпеки, власник картки

şifre, doğrulama kodu, onay kodu, güvenlik kodu, sms kodu, tek kullanımlık kod, pin kodu, kart sahibi
κωδικός πρόσβασης, κωδικός επαλήθευσης, κωδικός μιας χρήσης, κωδικός ασφαλείας, κωδικός επιβεβαίωσης
κωδικός pin, κωδικός sms
كلمة المرور, كلمة السر, الرقم السري, الرمز السري, رمز التحقق, كود التحقق, رمز التأكيد, رمز الأمان
رمز المرور
"""
"""Sensitive wherever these words stand in a name. Of several words, writing them as one is the same."""

CARDS: Final = """
card number, card num, card no, card nr, card pan, card code, card verification, card security
card expiry, card expiration, card expires, card exp, card exp date, card month, card year
card valid, card holder, card owner, card details, card data, credit card, debit card, bank card
payment card, expiry card
kartennummer, karten nr, karten nummer, bankkarte, kartendaten
numéro de carte, num carte, carte bancaire, carte de crédit, carte de paiement, expiration carte
número de tarjeta, num tarjeta, tarjeta de crédito, tarjeta de débito, tarjeta bancaria
vencimiento tarjeta, caducidad tarjeta
numero carta, carta di credito, carta di debito, scadenza carta
número do cartão, cartão de crédito, cartão de débito, validade do cartão, dados do cartão
kaartnummer, kaart nummer, bankkaart
numer karty, nr karty, karta kredytowa, karty kredytowej, karta płatnicza, karty płatniczej
data ważności karty
číslo karty, kreditní karta, platební karta, platnost karty
kártyaszám, kártya szám, bankkártya, bankkártyaszám, hitelkártya, hitelkártyaszám
număr card, numărul cardului, card de credit, card de debit, card bancar
kortnummer, bankkort, betalkort, betalingskort
kortin numero, korttinumero, maksukortti, kortin voimassaolo
номер карты, номер карточки, номер банковской карты, номер кредитной карты, кредитная карта
кредитной карты, банковская карта, банковской карты, срок действия карты, nomer karty
номер картки, номер карти, номер банківської картки, кредитна картка, банківська картка
термін дії картки
kart numarası, kart no, kredi kartı, banka kartı
αριθμός κάρτας, πιστωτική κάρτα, χρεωστική κάρτα, λήξη κάρτας
رقم البطاقة, رقم الكارت, بطاقة ائتمان, بطاقة الائتمان, بطاقة ائتمانية
"""
"""Details of a payment card, unless the word beside them says that it is another card."""

OTHER_CARDS: Final = """
gift, loyalty, member, membership, library, id, identity, identification, business, sim, student
health, insurance, medical, medicare, green, residence, reward, rewards, bonus, fuel, travel
transport, bus, metro, report, score, key, access, club, discount, store, press, staff, employee
trading, game, graphics, video, sound, memory, sd, network, place, greeting, playing, post, tarot
identité, fidélité, cadeau, vitale, sante, grise, séjour, étudiant
identidad, identidade, fidelidad, fidelidade, regalo, presente, sanitaria, identità, fedeltà
klanten, stałego, klienta, клиента, лояльности, скидочной, клієнта
الهوية, هوية
"""
"""Words that, beside a card, say that nobody pays with it."""

ALONE: Final = """
pass, pw, psw, pin, tan, mfa, csc, clave, parola, passe, пин, пін, κωδικός
expiry, expiry date, expiration, expiration date, exp date, exp month, exp year, exp mm, exp yy
expiry month, expiry year, expiration month, expiration year
ablaufdatum, date d'expiration, fecha de caducidad, vervaldatum, data ważności, lejárati dátum
data expirării, utgångsdatum, udløbsdato, utløpsdato, срок действия, термін дії, son kullanma tarihi
ημερομηνία λήξης, تاريخ الانتهاء, 有効期限, 有效期, 유효기간
"""
"""Sensitive only where a name says nothing else: a `season pass` and a lapel `pin` are something else."""

FILLERS: Final = """
my, your, new, old, current, confirm, confirmation, repeat, retype, again, verify, re, user, login
account, customer, client, enter, input, field, fields, form, txt, text, value
"""
"""Words that add no meaning to a name that stands alone."""

LINKS: Final = """
of, the, de, del, della, delle, la, le, les, el, los, du, des, di, da, do, dos, das, d, l, den, der
dem, van, het
"""
"""Small words between the words of a name."""

UNSPACED: Final = """
パスワード, 暗証番号, 暗証コード, 認証コード, 認証番号, 確認コード, ワンタイム, セキュリティコード
カード名義
密码, 密碼, 口令, 验证码, 驗證碼, 校验码, 校驗碼, 动态码, 動態碼, 安全码, 安全碼, 持卡人
비밀번호, 패스워드, 인증번호, 인증코드, 보안코드, 일회용
"""
"""Sensitive anywhere, in the scripts that do not part words."""

UNSPACED_CARDS: Final = """
カード番号, クレジットカード, デビットカード, カード有効期限
卡号, 卡號, 信用卡, 银行卡, 銀行卡
카드번호, 신용카드, 체크카드
"""

UNSPACED_OTHER_CARDS: Final = """
会員, ポイント, ギフト, 診察, 会员, 會員, 礼品, 禮品, 积分, sim, 회원, 멤버십, 포인트, 기프트
"""

IDENTITIES: Final = """
ssn, social security number, social security no, social security num, social security
social insurance number
sin number, national insurance number, national insurance no, national insurance, ni number, ni no, ni num
national id, national identity, national identity number, national identification number, national number
identity card number, identity card no, id card number, id card no, id card nr, identity document number
personal identity number, personal identification number, citizen id, citizen number, resident id
government id
passport number, passport no, passport nr, passport num, passport id, visa number
driver license number, drivers license number, driver s license number, driving license number
driver licence number, drivers licence number, driving licence number, driver license no, drivers license no
driving licence no, driving license no, dl number, dl no, alien registration number, taxpayer id
taxpayer identification number, itin, voter id, voter number, emirates id, nric, nhs number, aadhaar, aadhar
pan number, pan no, pan card

ausweisnummer, ausweis nr, ausweis nummer, personalausweisnummer, personalausweis nr, personalausweis nummer
reisepassnummer, reisepass nr, passnummer, pass nr, pass nummer, sozialversicherungsnummer
sozialversicherungs nr, rentenversicherungsnummer, versichertennummer, sv nummer, sv nr, ahv nummer, ahv nr
steuer id, steuer identifikationsnummer, steueridentifikationsnummer, führerscheinnummer, führerschein nr

numéro de sécurité sociale, num sécurité sociale, no sécurité sociale, sécurité sociale, numéro secu
num secu
numéro carte identité, num carte identité, numéro de carte d'identité, numéro cni, num cni, cni
numéro passeport, num passeport, no passeport, numéro permis, numéro permis conduire, numéro fiscal
numéro de dni, num dni, dni número, dni nie, nif nie, número nie, num nie, número de pasaporte
num pasaporte
número de cédula, cédula identidad, cédula ciudadanía, documento identidad, documento identidade
número de seguridad social, seguridad social, curp, cuil, codice fiscale, cod fiscale, numero carta identità
numero passaporto, numero patente
cpf, número cpf, número rg, número do passaporte, cartão cidadão, título eleitor, segurança social
bsn, burgerservicenummer, sofinummer, rijksregisternummer, paspoortnummer, paspoort nummer, rijbewijsnummer
identiteitskaartnummer, identiteitsnummer

pesel, numer dowodu, nr dowodu, numer dowodu osobistego, seria dowodu, numer paszportu, nr paszportu
rodné číslo, číslo občanského průkazu, číslo op, číslo pasu, číslo občianskeho preukazu
személyi szám, személyi igazolvány szám, személyi igazolványszám, személyazonosító, taj szám, tajszám
adóazonosító, adóazonosító jel, útlevélszám, útlevél szám
cnp, cod numeric personal, serie buletin, număr buletin, număr pașaport

personnummer, samordningsnummer, passnummer, cpr, cprnummer, cpr nummer, cpr nr, pasnummer, fødselsnummer
henkilötunnus, hetu, sotu, passin numero

снилс, номер паспорта, серия паспорта, серия и номер паспорта, паспортные данные, данные паспорта
номер водительского удостоверения, паспортні дані, дані паспорта, рнокпп

tc kimlik, tc kimlik no, tc kimlik numarası, kimlik no, kimlik numarası, tckn, pasaport no
pasaport numarası
αμκα, αριθμός ταυτότητας, αριθμός διαβατηρίου
رقم الهوية, رقم بطاقة الهوية, رقم البطاقة الشخصية, الرقم القومي, الرقم الوطني, رقم جواز السفر, رقم الجواز
رقم الإقامة
"""
"""Numbers by which a state knows a person, wherever these words stand in a name."""

ID_NUMBERS: Final = """
identity number, identity no, identification number, identification no, id number, id no, id nr, id num
personal number, número de identidad, número de identificación, número documento, numero documento
"""
"""As these, unless the word beside them says that it is another number."""

OTHER_IDS: Final = """
order, product, item, customer, client, member, membership, booking, reservation, invoice, ticket, case
company, business, corporate, vat, student, employee, staff, patient, policy, property, listing, vehicle
device, serial, model, reference, tracking, project, event, campaign, form, transaction, payment, user
account, article, batch, part, unit, office, gift, loyalty, library, session, lead, quote, offer
"""
"""Words that, beside such a name, say that no state gave that number."""

SECRETS: Final = """
apikey, api key, api token, api secret, app key, app secret, access key, access token, accesstoken
auth token
auth key, auth secret, authtoken, bearer token, refresh token, session token, session id, sessionid
session key
phpsessid, jsessionid, id token, secret key, secretkey, secret token, client secret, consumer secret
consumer key, shared secret, webhook secret, signing secret, signing key, private key, privatekey, ssh key
encryption key, decryption key, master key, service account key, connection string, jwt, csrfmiddlewaretoken
seed phrase, recovery phrase, recovery key, mnemonic phrase, secret phrase, wallet key, wallet seed

api schlüssel, geheimschlüssel, geheimer schlüssel, zugangsschlüssel, privater schlüssel, zugangstoken
zugriffstoken, zugangsdaten
clé api, clé secrète, clé privée, clé d'accès, jeton d'accès, jeton api
clave api, clave privada, clave de api, llave privada, token de acceso, chiave api, chiave segreta
chiave privata, token di accesso, chave api, chave secreta, chave privada, chave de acesso
api sleutel, geheime sleutel, privésleutel, toegangstoken
klucz api, klucz prywatny, tajny klucz, klucz tajny, api klíč, klíč api, soukromý klíč, tajný klíč
api kulcs, titkos kulcs, privát kulcs, cheie api, cheie secretă, cheie privată
api nyckel, hemlig nyckel, privat nyckel, api nøgle, hemmelig nøgle, privat nøgle, api nøkkel
hemmelig nøkkel, privat nøkkel, api avain, salainen avain, yksityinen avain
секретный ключ, закрытый ключ, приватный ключ, ключ api, api ключ, секретний ключ, закритий ключ
api anahtarı, gizli anahtar, özel anahtar, erişim anahtarı
κλειδί api, μυστικό κλειδί, ιδιωτικό κλειδί
مفتاح api, المفتاح السري, المفتاح الخاص, رمز الوصول
"""
"""What programs show to be let in, and what opens wallets; wherever these words stand in a name."""

LAST_WORDS: Final = """
token, secret, токен, секрет
"""
"""A name whose last word this is holds one."""

OTHER_SECRETS: Final = """
gift, book, game, board, arcade, loyalty, favorite, favourite, preferred, which, trade, top, best, family
"""
"""Words that, before such an end, say that it is something else."""

SECRETS_ALONE: Final = """
tokens, secrets, bearer, credentials, mnemonic, passport, dni, nie number, nif nie, geheimnis, jeton
passeport, pasaporte, passaporto, passaporte, paspoort, personalausweis, reisepass, паспорт, pasaport
"""
"""Only where a name says nothing else: a `passport_expiry` is a date."""

UNSPACED_SECRETS: Final = """
マイナンバー, 個人番号, 旅券番号, パスポート番号, 免許証番号, apiキー, アクセスキー, 秘密鍵
シークレットキー, トークン
身份证, 身份證, 护照号, 護照號, 社保号, 社会保障号, 密钥, 密鑰, 令牌, 私钥, 私鑰
주민등록번호, 주민번호, 여권번호, 외국인등록번호, 운전면허번호, api키, 토큰, 비밀키, 시크릿
"""
