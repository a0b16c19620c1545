"""What must not be kept, recognized by its name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from svc.domain.forms import sensitive_names
from svc.domain.forms.sensitive_fields import is_secret_name, is_sensitive_name

SENSITIVE = """
password Password passWord PASSWORD user_password userpassword user[password] customer.password
new-password current-password confirmPassword password2 password_confirmation pwd userPwd passwd pass
user_pass passcode passphrase pass-phrase
pin PIN pin_code pinCode PINcode PIN-Code mPIN card_pin newPin form[pin]
otp OTP otp_code otp1 sms_otp totp 2fa 2FA 2fa_code 2faCode two-factor-code mfaCode
one-time-code oneTimeCode onetimecode verification_code verificationCode verificationcode sms-code
TAN mTAN smsTAN sms_tan login_code security_code security_answer
cardNumber card-number card_no card[number] cardnumber CARDNUMBER payment[card_number] billing.cardNumber
creditCard creditCardNumber credit_card_number creditcardno debitCard bankCard
ccnum cc-number cc-exp cc-csc cc-exp-month cc-exp-year cc-name cvv CVV2 cvc cvcCode CVVCode card_cvv ccv
expiry expiryDate exp_month exp-year expirationDate card.expiry card_exp cardExpirationMonth MM/YY
nameOnCard name_on_card cardholder cardHolder card_holder_name customerCardNumber
Passwort passwort_wiederholen Benutzerpasswort Kennwort Geheimzahl Bestätigungscode Bestaetigungscode
Kreditkartennummer kreditkarte Kartennummer Kartenprüfnummer Ablaufdatum karteninhaber
mot_de_passe motDePasse motdepasse mdp numero_carte numeroDeCarte numéro-de-la-carte carteBancaire
cryptogramme code_de_vérification date_d'expiration
contraseña Contrasena clave claveSecreta codigo_verificacion código-de-seguridad numero_tarjeta
tarjetaCredito numeroDeTarjeta
parola codice_verifica codiceOTP numero_carta carta_di_credito
senha senha_nova codigoSeguranca numero_cartao cartãoDeCrédito
wachtwoord kaartnummer pincode verificatiecode
hasło haslo powtórz_hasło numer_karty karta_kredytowa data_ważności kodSms
heslo číslo_karty ověřovací_kód jelszó jelszo kártyaszám bankkartya
parolă parola_nouă cod_verificare numar_card data_expirării
lösenord losenord kortnummer adgangskode kodeord engangskode passord engangskode sikkerhetskode
salasana korttinumero kertakäyttökoodi tunnusluku utløpsdato
пароль Пароль_ещё_раз новыйПароль номер_карты номерКарты КодПодтверждения пинкод ПИН-код срок_действия
код_підтвердження номер_картки термін_дії
şifre Şifre ŞİFRE sifre kart_numarası kartNumarasi KARTNUMARASI doğrulama_kodu son_kullanma_tarihi
κωδικός Κωδικός_πρόσβασης συνθηματικό ΑριθμόςΚάρτας
كلمة_المرور كلمه_السر رقم_البطاقة رمز_التحقق
パスワード 新しいパスワード 暗証番号 認証コード カード番号 お客様カード番号 クレジットカード
密码 登录密码 密碼 验证码 信用卡号 卡号
비밀번호 비밀번호확인 인증번호 카드번호 신용카드번호 ＣＶＶ
"""

ORDINARY = """
email e-mail phone name first_name message subject comment company company_name
pinterest shipping shippingAddress spinning opinion pineapple lapel_pin map_pin
postcode post_code PostCode postal_code postalcode zip_code zipCode zip area_code areaCode country_code
countryCode phone_code dialCode promo_code promoCode promo discount_code couponCode voucher referral_code
code source_code dress_code qr_code barcode tax_code booking_code confirmation_code access_code
passenger passengers passengerName passport_expiry passat passion passage bypass
season_pass boarding_pass pass_type skipass compass
discard discarded business_card businessCard cardio cardiology cardboard card_color postcard wildcard
scorecard gift_card giftCardNumber gift-card-code loyalty_card_number loyaltyCardNo library_card_no
sim_card_number membershipCardNumber student_card_number insurance_card_number
playing_card_number security_question securityQuestion expires expires_at valid_until lease_expiry_date
offerExpirationDate
account_number iban order_number orderNo reference vat_number customer_number cc cc_email bcc
tangent tank standard tan_color instant Montana japan company_span
experience expense expo export expected_date secretary secret_santa g-recaptcha-response
cv CV cv_v2 cvUpload cover_letter curriculum discover
hasLocation has_location desenhar
utm_source utm_campaign gclid budget newsletter consent
codice_sconto parola_chiave code_postal codigo_postal CodigoPostal kod_pocztowy kod_rabatowy
indirim_kodu posta_kodu cod_postal postnummer Telefonnummer Kundennummer Kundenkartennummer
carte_vitale carte_fidelite
numero_tarjeta_regalo Passagier Passform passende_Zeit
почтовый_индекс код_товара номер_карты_лояльности город промокод
名片 会員カード番号 ポイントカード番号 会员卡号 회원카드번호 郵便番号
邮政编码 우편번호 電話番号
الاسم رقم_الهاتف البريد_الإلكتروني
"""

SECRET = """
ssn SSN user_ssn customerSSN client_passport_number patient_national_id ssn_last4 last4SSN
socialSecurityNumber social_security_no national_insurance_number niNumber
national_id nationalId national_identity_number id_number idNumber identity-number idCardNo id_card_number
passport passport_number passportNo driversLicenseNumber driver's_license_number driving-licence-no itin
aadhaar_number pan_card nric taxpayerId
token csrf_token authToken access_token accessToken refresh-token stripeToken token2 _token x-csrf-token
user[token]
secret client_secret clientSecret app_secret webhook-secret secret_key SecretKey
api_key apiKey API_KEY apikey x-api-key my_api_key_2 aws_access_key_id AWS_SECRET_ACCESS_KEY private_key
ssh-key
session_id PHPSESSID JSESSIONID jwt bearer credentials seed_phrase recoveryPhrase
Ausweisnummer Personalausweisnummer Sozialversicherungsnummer Steuer-ID Reisepassnummer Zugangsdaten
API-Schlüssel
numéro_de_sécurité_sociale numero_carte_identite numéro_carte_d'identité numero_passeport clé_api jeton
numero_dni DNI número_de_pasaporte seguridad_social curp clave_api codice_fiscale numero_carta_identita cpf
numero_do_cpf chave_secreta bsn burgerservicenummer paspoortnummer PESEL numer_dowodu rodné_číslo cnp
personnummer CPR-nummer fødselsnummer henkilötunnus hetu снилс номер_паспорта паспорт токен секретный_ключ
паспортні_дані TC_kimlik_no tckn αμκα αριθμός_ταυτότητας رقم_بطاقة_الهوية رقم_جواز_السفر
マイナンバー パスポート番号 トークン 身份证号 护照号码 密钥 주민등록번호 여권번호 API키
"""

NO_SECRET = """
order_id_number customerIdNumber member_id_no student_id_number vehicle_identification_number booking_id_no
company_identification_number national_holiday nationality identity gift_token favorite_token secret_santa
secretary top_secret keyword key_account keyboard monkey public_key license_plate driving_licence
passport_expiry
passport_photo social_media insurance security_deposit session sessions session_date private_event
master_bedroom
tokenring betoken niece unite panel span personal_message number numero número tax_id vat_id company_number
paspoortfoto bearing author authority authorization access seed phrase recovery wallet_color
"""

ENTRIES = [
    entry.strip()
    for table in (
        sensitive_names.STEMS,
        sensitive_names.NAMES,
        sensitive_names.CARDS,
        sensitive_names.ALONE,
        sensitive_names.UNSPACED,
        sensitive_names.UNSPACED_CARDS,
    )
    for entry in table.replace("\n", ",").split(",")
    if entry.strip()
]
SECRET_ENTRIES = [
    entry.strip()
    for table in (
        sensitive_names.IDENTITIES,
        sensitive_names.ID_NUMBERS,
        sensitive_names.SECRETS,
        sensitive_names.LAST_WORDS,
        sensitive_names.SECRETS_ALONE,
        sensitive_names.UNSPACED_SECRETS,
    )
    for entry in table.replace("\n", ",").split(",")
    if entry.strip()
]


@pytest.mark.parametrize("name", SENSITIVE.split())
def test_passwords_codes_and_cards_are_known_by_name(name: str) -> None:
    """A name that means a password, a one-time code or card details is sensitive, in any usual spelling."""
    assert is_sensitive_name(name)


@pytest.mark.parametrize("name", SECRET.split())
def test_identity_numbers_tokens_and_secrets_are_known_by_name(name: str) -> None:
    """They are not kept either, and are another kind, since a form may ask for them on purpose."""
    assert is_secret_name(name)
    assert not is_sensitive_name(name)


@pytest.mark.parametrize("name", ORDINARY.split() + NO_SECRET.split())
def test_names_of_other_numbers_and_words_are_no_secrets(name: str) -> None:
    """An order's id, a national holiday and a gift token are kept."""
    assert not is_secret_name(name)


@pytest.mark.parametrize("name", ORDINARY.split())
def test_names_that_only_look_alike_are_ordinary(name: str) -> None:
    """A name that merely contains such letters, or means another kind of card or code, is not sensitive."""
    assert not is_sensitive_name(name)


def test_every_entry_matches_as_it_stands_and_in_every_spelling() -> None:
    """What the tables list is found in lower and upper case, in camel case and with any separator."""
    spellings = {
        name
        for entry in ENTRIES
        for name in (
            entry,
            entry.upper(),
            entry.replace(" ", "_"),
            entry.title().replace(" ", ""),
            f"[{entry}]",
        )
    }

    assert [] == [name for name in sorted(spellings) if not is_sensitive_name(name)]


def test_every_entry_of_secrets_matches_as_it_stands_and_in_every_spelling() -> None:
    """As the entries for passwords and cards do, unless they are one of those as well."""
    spellings = {
        name
        for entry in SECRET_ENTRIES
        for name in (entry, entry.upper(), entry.replace(" ", "_"), entry.title().replace(" ", ""))
    }

    missed = [name for name in sorted(spellings) if not (is_secret_name(name) or is_sensitive_name(name))]
    assert [] == missed


def test_where_dni_are_days_it_is_no_identity_number() -> None:
    """A Polish form asks for so many days; a Spanish one for the number of an identity card."""
    assert not is_secret_name("dni", "PL")
    assert is_secret_name("dni", "ES")
    assert is_secret_name("numero_dni", "PL")


def test_in_india_a_pincode_is_a_postal_code() -> None:
    """Where the post's code is called a PIN code it is kept; a PIN is still dropped there."""
    assert not is_sensitive_name("pin_code", "IN")
    assert not is_sensitive_name("Pincode", "IN")
    assert is_sensitive_name("PIN", "IN")
    assert is_sensitive_name("pin_code", "NL")


@given(st.text(max_size=64))
def test_a_name_is_read_whatever_it_is_made_of(name: str) -> None:
    """Every name gets an answer, and spaces around it never change that answer."""
    assert is_sensitive_name(name) == is_sensitive_name(f" {name} ")


@given(
    st.sampled_from(["password", "otp_code", "cardNumber", "cvv", "credit-card", "номер карты", "密码"]),
    st.from_regex(r"[a-z]{3,8}", fullmatch=True).filter(
        lambda form: is_sensitive_name(f"{form} card number")
    ),
    st.sampled_from(["{form}[{name}]", "{form}.{name}", "{form}_{name}", "{form} {name}", "{name}_{form}"]),
)
def test_a_sensitive_name_stays_so_beside_others(name: str, form: str, shape: str) -> None:
    """Frameworks put the form's name in front and ids behind; what is sensitive anywhere stays so."""
    assert is_sensitive_name(shape.format(form=form, name=name))
